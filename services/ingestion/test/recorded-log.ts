import type { Logger } from '@lectern/telemetry';

export interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown>;
}

/** A logger that keeps its lines for a test to read. */
export function recordedLog(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (fields: Record<string, unknown>, message: string): void =>
      void lines.push({ level, message, fields });
  const levels = ['debug', 'info', 'warn', 'error'].map((level) => [level, at(level)]);
  return { logger: Object.fromEntries(levels) as Logger, lines };
}
