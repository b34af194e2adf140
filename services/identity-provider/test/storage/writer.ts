import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { AuditRecord } from '../../src/storage/audit-record.ts'
import { DirectoryStore } from '../../src/storage/directory-store.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { tenant } from '../directory/sample.ts'
import { wholeDirectory } from '../fakes/whole-directory.ts'

/** Where writers write. */
export type Place = { readonly dataDir: string; readonly databaseUrl?: string }

const running = new Set<Writer>()

/** A process that writes, and what was acknowledged to it. */
export class Writer {
  readonly acknowledged: string[] = []
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  #told = ''
  #complaint = ''
  #onTold: () => void = () => undefined

  constructor({ dataDir, databaseUrl = '' }: Place, name: string, count?: number) {
    const program = join(import.meta.dirname, 'writer-process.ts')
    const given = [dataDir, databaseUrl, name, ...(count === undefined ? [] : [String(count)])]
    this.#process = spawn(process.execPath, [program, ...given], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(this)
    this.#ended = new Promise((resolve) => {
      this.#process.on('close', () => {
        running.delete(this)
        this.#onTold()
        resolve()
      })
    })
    this.#process.stderr?.on('data', (chunk) => {
      this.#complaint += chunk
    })
    this.#process.stdout?.on('data', (chunk) => {
      const lines = (this.#told + chunk).split('\n')
      this.#told = lines.pop() ?? ''
      this.acknowledged.push(...lines)
      this.#onTold()
    })
  }

  /** Waits until so many changes were acknowledged. */
  async wrote(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onTold = () => {
        if (this.acknowledged.length >= count || !running.has(this)) resolve()
      }
      this.#onTold()
    })
    assert.ok(this.acknowledged.length >= count, this.#complaint)
  }

  /** Waits until it has written everything. */
  async done(): Promise<void> {
    await this.#ended
    assert.equal(this.#process.exitCode, 0, this.#complaint)
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#ended
  }

  /** Ends those that a failed test left behind. */
  static async killAll(): Promise<void> {
    await Promise.all([...running].map((writer) => writer.kill()))
  }
}

/** What a store holds of what writers wrote. */
export async function heldBy(storage: Storage) {
  const directory = await wholeDirectory(new DirectoryStore({ log: storage.directory }))
  const counted = Number(directory.tenant(tenant().id)?.displayName ?? 0)
  return { revision: directory.revision, counted, audited: await auditedIn(storage) }
}

/** Asserts that these changes are in the audit, and their assertions are spent. */
export async function assertHolds(storage: Storage, changes: readonly string[]): Promise<void> {
  const audited = await auditedIn(storage)
  const lost = changes.filter((change) => !audited.has(change))
  assert.deepEqual(lost, [], 'acknowledged and lost')
  const expiresAt = new Date('2100-01-01T00:00:00Z')
  const spent = changes.map((change) => storage.assertions.spend('client', change, expiresAt))
  assert.ok((await Promise.all(spent)).every((again) => !again))
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
