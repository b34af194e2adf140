import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { AuditRecord } from '../../src/audit/audit-record.ts'
import { DirectoryStore } from '../../src/directory-store/directory-store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { tenant } from '../directory/sample.ts'
import { wholeDirectory } from '../fakes/whole-directory.ts'

/** The store of the writers. */
export type Place = { readonly dataDir: string; readonly databaseUrl?: string }

const running = new Set<Writer>()

/** A process that opens a store, then writes, and the changes that the store acknowledged. */
export class Writer {
  readonly acknowledged: string[] = []
  #isReady = false
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  #rest = ''
  #errors = ''
  #onOutput: () => void = () => undefined

  constructor({ dataDir, databaseUrl = '' }: Place, name: string, count?: number) {
    const program = join(import.meta.dirname, 'writer-process.ts')
    const args = [dataDir, databaseUrl, name, ...(count === undefined ? [] : [String(count)])]
    this.#process = spawn(process.execPath, [program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    running.add(this)
    this.#ended = new Promise((resolve) => {
      this.#process.on('close', () => {
        running.delete(this)
        this.#onOutput()
        resolve()
      })
    })
    this.#process.stderr?.on('data', (chunk) => {
      this.#errors += chunk
    })
    this.#process.stdout?.on('data', (chunk) => {
      const lines = (this.#rest + chunk).split('\n')
      this.#rest = lines.pop() ?? ''
      if (!this.#isReady) this.#isReady = lines.shift() === 'ready'
      this.acknowledged.push(...lines)
      this.#onOutput()
    })
  }

  /** Waits until the process has opened the store. It does not write yet. */
  ready = () => this.#until(() => this.#isReady)

  /** Starts the writing, and waits until this number of changes was acknowledged. */
  async wrote(count: number): Promise<void> {
    await this.ready()
    this.#process.stdin?.end('write')
    await this.#until(() => this.acknowledged.length >= count)
  }

  async #until(isSo: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onOutput = () => {
        if (isSo() || !running.has(this)) resolve()
      }
      this.#onOutput()
    })
    assert.ok(isSo(), this.#errors)
  }

  /** Waits until the process has written all its changes, and asserts its exit code 0. */
  async done(): Promise<void> {
    await this.wrote(1)
    await this.#ended
    assert.equal(this.#process.exitCode, 0, this.#errors)
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#ended
  }

  /** Kills the processes that a failed test has left. */
  static async killAll(): Promise<void> {
    await Promise.all([...running].map((writer) => writer.kill()))
  }
}

/** The state of a store: its revision, the number in the tenant's name, and the recorded changes. */
export async function heldBy(storage: Storage) {
  const directory = await wholeDirectory(new DirectoryStore({ log: storage.directory }))
  const counted = Number(directory.tenant(tenant().id)?.displayName ?? 0)
  return { revision: directory.revision, counted, audited: await auditedIn(storage) }
}

/** Asserts that the audit log has these changes, and that their assertions are used. */
export async function assertHolds(storage: Storage, changes: readonly string[]): Promise<void> {
  const audited = await auditedIn(storage)
  const lost = changes.filter((change) => !audited.has(change))
  assert.deepEqual(lost, [], 'no acknowledged change is lost')
  const expiresAt = new Date('2100-01-01T00:00:00Z')
  const spent = changes.map((change) => storage.assertions.spend('client', change, expiresAt))
  assert.ok((await Promise.all(spent)).every((isAccepted) => !isAccepted))
}

async function auditedIn({ audit }: Storage): Promise<Set<AuditRecord['target']>> {
  const audited = new Set<string | null>()
  let before: string | undefined
  do {
    const from = before === undefined ? {} : { before }
    const page = await audit.find({ book: 'directory', limit: 1000, ...from })
    for (const { target } of page.records) audited.add(target)
    before = page.next ?? undefined
  } while (before !== undefined)
  return audited
}
