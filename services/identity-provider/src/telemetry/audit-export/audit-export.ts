// Folder: Audit records leave for other log stores, after the change or the answer that they record.

import { connect, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { AuditRecord } from '@greeting/directory/audit'
import type { Storage } from '@greeting/directory/storage'
import type { LogExportOptions } from '@greeting/tracing'
import type { Log } from '../../endpoints/service-options.ts'
import { AuditOutlet, type AuditSink, type OutletFigures } from './audit-outlet.ts'
import type { AuditTarget } from './audit-settings.ts'
import type { ExportLane } from './exported-record.ts'
import { exportingStorage } from './exporting-storage.ts'
import { fileSink } from './file-sink.ts'
import { otlpSink } from './otlp-sink.ts'
import { socketSink } from './socket-sink.ts'

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
