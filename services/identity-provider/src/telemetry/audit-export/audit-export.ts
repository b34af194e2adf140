// Folder: Audit records leave for other log stores, after the change or the answer that they record.

import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AuditRecord } from '@greeting/directory/audit'
import { keyEventRecord, type Storage } from '@greeting/directory/storage'
import type { LogExportOptions } from '@greeting/tracing'
import type { Log } from '../../endpoints/service-options.ts'
import { AuditOutlet, type AuditSink, type OutletFigures } from './audit-outlet.ts'
import type { AuditTarget } from './audit-settings.ts'
import type { ExportLane } from './exported-record.ts'
import { fileSink, otlpSink, socketSink } from './sinks.ts'

export type AuditExportOptions = {
  readonly targets: readonly AuditTarget[]
  /** The collector of the target `otlp`. */
  readonly collector: LogExportOptions | undefined
  readonly run: string
  readonly storage: Storage
  readonly log: Log
}

/** Sends each audit record to all sinks. No caller waits for a sink, and no sink waits for another. */
export class AuditExport {
  readonly #outlets: readonly AuditOutlet[]
  readonly #run: string
  #number = 0

  /** The storage, whose changes are exported. */
  readonly storage: Storage

  constructor({ targets, collector, run, storage, log }: AuditExportOptions) {
    this.#run = run
    this.storage = exportingStorage(storage, (record) => this.offer(record, 'changes'))
    this.#outlets = targets.map(
      (target) =>
        new AuditOutlet({ name: target.name, sink: sinks[target.kind](target, collector), log }),
    )
  }

  /** Adds a record to the queue of each sink. */
  offer = (record: AuditRecord, lane: ExportLane): void => {
    this.#number += 1
    const exported = { run: this.#run, number: this.#number, lane, record }
    for (const outlet of this.#outlets) outlet.offer(exported)
  }

  /** The figures of each sink, by its name. */
  get figures(): Readonly<Record<string, OutletFigures>> {
    return Object.fromEntries(this.#outlets.map(({ name, figures }) => [name, figures]))
  }

  /** Sends what waits, for at most 2 s. */
  async stop(): Promise<void> {
    await Promise.all(this.#outlets.map((outlet) => outlet.stop()))
  }
}

const sinks: Readonly<
  Record<AuditTarget['kind'], (target: AuditTarget, collector?: LogExportOptions) => AuditSink>
> = {
  file: ({ path }) => fileSink(path),
  unix: ({ path }) => socketSink(() => ({ socket: connect({ path }), ready: 'connect' })),
  tcp: ({ host, port }) =>
    socketSink(() => ({ socket: connect({ host, port }), ready: 'connect' })),
  tls: ({ host, port }) =>
    socketSink(() => ({
      socket: connectTls({ host, port, servername: isIP(host) ? '' : host }),
      ready: 'secureConnect',
    })),
  otlp: (_, collector) => {
    if (collector === undefined) throw new TypeError('otlp needs a collector')
    return otlpSink(collector)
  },
}

type Commit = Storage['directory']['commit']

/**
 * A storage that exports the records of a change after its commit. If the result of a commit is
 * unknown, only the table has its records.
 */
export function exportingStorage(storage: Storage, offer: (record: AuditRecord) => void): Storage {
  const { directory, keyRing } = storage
  const offerAll = (records: readonly AuditRecord[]) => {
    for (const record of records) offer(record)
  }
  const exporting =
    (commit: Commit, written: (records: readonly AuditRecord[]) => void): Commit =>
    async (...change) => {
      const result = await commit(...change)
      if (result !== 'conflict') written(change[3])
      return result
    }
  return {
    ...storage,
    directory: {
      latest: () => directory.latest(),
      surveyTenants: (...query) => directory.surveyTenants(...query),
      changesAfter: (...query) => directory.changesAfter(...query),
      commit: exporting((...change) => directory.commit(...change), offerAll),
      exclusively: async (logs, write) => {
        const unsent: AuditRecord[] = []
        const result = await directory.exclusively(logs, (log) =>
          write({
            latest: () => log.latest(),
            changesAfter: (...query) => log.changesAfter(...query),
            commit: exporting(
              (...change) => log.commit(...change),
              (records) => unsent.push(...records),
            ),
          }),
        )
        offerAll(unsent)
        return result
      },
      giveUp: (numbers) => directory.giveUp(numbers),
      list: (query) => directory.list(query),
      listChanges: (query) => directory.listChanges(query),
      deletedBefore: (...query) => directory.deletedBefore(...query),
      prune: () => directory.prune(),
    },
    keyRing: {
      read: (known) => keyRing.read(known),
      commit: async (base, mark, ring, events) => {
        const result = await keyRing.commit(base, mark, ring, events)
        if (result === 'committed') offerAll(events.map(keyEventRecord))
        return result
      },
    },
  }
}
