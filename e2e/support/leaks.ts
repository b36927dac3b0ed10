/** What no answer may hold: frames of a stack, SQL, paths of the server. */
export const leaks =
  /\bat \S+ \(|\.(?:ts|js):\d+|\bSELECT\b.*\bFROM\b|\bINSERT INTO\b|relation "|syntax error|node_modules|\/dist\//;
