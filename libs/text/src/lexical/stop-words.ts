const english = `a about above after again against all am an and any are aren't as at be because been before being below
between both but by can can't did didn't do does doesn't doing don't down during each few for from further had hadn't has
hasn't have haven't having he her here hers herself him himself his how i if in into is isn't it its itself just me more
most my myself no nor not now of off on once only or other our ours ourselves out over own same she should shouldn't so
some such than that the their theirs them themselves then there these they this those through to too under until up very
was wasn't we were weren't what when where which while who whom why will with won't you your yours yourself yourselves`;

// Negation, place and degree (不 上 下 前 后 最) are not among them: they tell passages apart.
const chinese = `的 了 和 是 在 就 都 而 及 与 着 或 之 于 其 也 有 这 那 你 我 他 她 它 们 我们 你们 他们 她们 它们 一个 没有 这个
那个 以及 并 并且 或者 但 但是 因为 所以 因此 如果 虽然 然而 而且 什么 怎么 怎样 如何 哪 哪些 哪个 哪里 谁 吗 呢 吧 啊 呀 被 把 将 从 到
对 对于 由 以 为 所 等 又 很 还 让 使 给 向 往 则 却 此 该 各 每 某 地 得 过 会 能 可以 是否 为什么 多少 之一 其中 时候 这些 那些 自己
这样 那样 時 個 這 們 對 與 為 會 從 過 來 還 嗎 沒有 什麼 我們 他們`;

/** Words that carry no meaning of their own, in lower case; they are left out of documents and queries alike. */
export const stopWords: ReadonlySet<string> = new Set(`${english} ${chinese}`.split(/\s+/));
