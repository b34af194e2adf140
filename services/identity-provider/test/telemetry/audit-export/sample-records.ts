import type { ExportedRecord } from '../../../src/telemetry/audit-export/exported-record.ts'

/** The exported records with these numbers, of token requests. */
export const sampleRecords = (
  first: number,
  count: number,
  lane: ExportedRecord['lane'] = 'signIns',
): readonly ExportedRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    run: 'a run',
    number: first + index,
    lane,
    record: {
      at: new Date('2030-01-01T00:00:00Z'),
      tenantId: 'a tenant',
      actor: 'a client',
      action: 'token.issue',
      target: 'an API',
      outcome: 'done',
      reason: null,
      correlationId: null,
    },
  }))

/** The numbers of the records in JSON lines. */
export const numbersIn = (lines: string): readonly number[] =>
  lines
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).number)

/** The consecutive numbers from the first to the last. */
export const numbers = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)
