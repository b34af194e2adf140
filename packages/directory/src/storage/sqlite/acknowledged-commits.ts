import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { beginning, type Commit, type OnCommit, type RevisionLog } from '../../live/commit.ts'
import { StorageUnavailableError } from '../../live/storage-unavailable-error.ts'
import { openUnchanged } from './sqlite-connection.ts'
import { isDamage, sqliteFaultOf } from './sqlite-fault.ts'

/** A log that lacks a commit which a server acknowledged. */
export type LostCommit = {
  readonly log: RevisionLog
  readonly acknowledged: Commit
  readonly latest: Commit
}

const commit = z.strictObject({ revision: z.int().min(0), mark: z.string().max(50).nullable() })
const schema = z.strictObject({
  /** The identities of the data file and of this file. In a copied folder, both differ. */
  dataFile: z.string().max(50),
  thisFile: z.string().max(50),
  commits: z.strictObject({ directory: commit.optional(), 'signing-keys': commit.optional() }),
})
type Content = z.output<typeof schema>

const logs = ['directory', 'signing-keys'] as const

/** One sector of a disk, so that a crash cannot write a half. */
const fileBytes = 512
const ownerOnly = 0o600

/** The path of the file, next to a data file, that names the acknowledged commits. */
export const acknowledgedFile = (dataFile: string): string => `${dataFile}-acknowledged`

/**
 * The latest commits that a server acknowledged, in a separate file.
 *
 * SQLite ends a write-ahead log at its first bad frame, and reports nothing. The data file alone
 * cannot show that commits are missing.
 *
 * The file is written after a commit is on the disk and before it is acknowledged. So it is never ahead of
 * the data file, unless that lost a commit. It is not flushed: after a crash of the system it may be behind.
 */
export class AcknowledgedCommits {
  readonly #dataFile: string
  readonly #path: string
  #commits: Content['commits'] = {}

  constructor(dataFile: string) {
    this.#dataFile = dataFile
    this.#path = acknowledgedFile(dataFile)
  }

  /**
   * Compares the data file with the acknowledged commits, before a server opens it. It changes
   * neither the data file nor its log.
   *
   * @param isAccepted whether lost commits are accepted, even if the file is missing or has no
   * tables. They are also accepted after the data file was replaced.
   * @returns the logs that lost commits
   * @throws {StorageUnavailableError} storage_unavailable when commits are lost
   */
  async compare(isAccepted: boolean): Promise<readonly LostCommit[]> {
    const known = await readContent(this.#path)
    if (known === undefined) return []
    const dataFile = await identityOf(this.#dataFile)
    const all = isAccepted ? allOf(known) : []
    if (dataFile === undefined) return all
    const lost = this.#lostOf(known.commits) ?? all
    const isReplaced =
      dataFile !== known.dataFile && (await identityOf(this.#path)) === known.thisFile
    if (lost.length === 0 || isReplaced || isAccepted) return lost
    throw new StorageUnavailableError(
      `The data file ${this.#dataFile} lacks acknowledged changes: ${lost.map(sentenceOf).join(' and ')}. Its write-ahead log was lost or damaged, or an older copy is in its place. Nothing was changed. Restore a backup, or accept the loss with LOST_CHANGES=accept.`,
    )
  }

  /** Whether commits were acknowledged. */
  hasCommits = async () => allOf(await readContent(this.#path)).length > 0

  /** Undefined when the data file has no tables. */
  #lostOf(commits: Content['commits']): readonly LostCommit[] | undefined {
    let connection: DatabaseSync | undefined
    try {
      const opened = openUnchanged(this.#dataFile)
      connection = opened
      return logs.flatMap((log) => {
        const acknowledged = commits[log]
        if (acknowledged === undefined) return []
        const latest = latestOf(opened, log)
        const mark = markAt(opened, log, acknowledged.revision)
        const isLost =
          latest.revision < acknowledged.revision ||
          // Old marks are deleted, and earlier releases write none.
          (mark !== null && mark !== acknowledged.mark)
        return isLost ? [{ log, acknowledged, latest }] : []
      })
    } catch (cause) {
      // The service opens the file in its own way, and reports these.
      if (isWithoutTables(cause)) return undefined
      if (isDamage(cause)) return []
      const fault = sqliteFaultOf(cause)
      if (fault === undefined) throw cause
      throw new StorageUnavailableError(`The data file ${this.#dataFile} ${fault}.`, { cause })
    } finally {
      connection?.close()
    }
  }

  /**
   * Writes a commit that is on the disk. A file that cannot be written is then behind, which raises no alarm.
   *
   * @returns when the commit may be acknowledged
   */
  readonly note: OnCommit = async (log, { revision, mark }) => {
    this.#commits = { ...this.#commits, [log]: { revision, mark } }
    await this.#write().catch(() => undefined)
  }

  async #write(): Promise<void> {
    const [dataFile = '', file] = await Promise.all([
      identityOf(this.#dataFile),
      open(this.#path, 'r+').catch(() => open(this.#path, 'wx+', ownerOnly)),
    ])
    await using opened = file
    const thisFile = identity(await opened.stat({ bigint: true }))
    const text = JSON.stringify({ dataFile, thisFile, commits: this.#commits } satisfies Content)
    const bytes = Buffer.alloc(fileBytes, ' ')
    bytes.write(`${digestOf(text)} ${text}`)
    bytes.write('\n', fileBytes - 1)
    await opened.write(bytes, 0, fileBytes, 0)
  }
}

const allOf = (content: Content | undefined): readonly LostCommit[] =>
  logs.flatMap((log) => {
    const { [log]: acknowledged = beginning } = content?.commits ?? {}
    return acknowledged.revision > 0 ? [{ log, acknowledged, latest: beginning }] : []
  })

const sentenceOf = ({ log, acknowledged, latest }: LostCommit) =>
  `commit ${acknowledged.revision} of the ${log.replace('-', ' ')} is missing (the latest is ${latest.revision})`

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Undefined for a file that is missing, damaged, or of a later release. */
async function readContent(path: string): Promise<Content | undefined> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0))
  if (bytes.length !== fileBytes) return undefined
  const line = bytes.toString().trimEnd()
  const text = line.slice(line.indexOf(' ') + 1)
  if (line !== `${digestOf(text)} ${text}`) return undefined
  const parsed = schema.safeParse(JSON.parse(text))
  return parsed.success ? parsed.data : undefined
}

/** Undefined when there is no file. */
async function identityOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  return stats && identity(stats)
}

const identity = ({ ino, birthtimeNs }: BigIntStats) => `${ino} ${birthtimeNs}`

// In jest, the errors of SQLite are those of another realm.
const isWithoutTables = (error: unknown) =>
  String((error as { readonly message?: unknown }).message).startsWith('no such table')

function latestOf(connection: DatabaseSync, log: RevisionLog): Commit {
  const numbers = connection.prepare(
    'select max(revision) as number from commit_mark where log = ?',
  )
  const revision = Number(numbers.get(log)?.number ?? 0)
  return { revision, mark: markAt(connection, log, revision) }
}

function markAt(connection: DatabaseSync, log: RevisionLog, revision: number): string | null {
  const marks = connection.prepare('select mark from commit_mark where log = ? and revision = ?')
  const mark = marks.get(log, revision)?.mark
  return typeof mark === 'string' ? mark : null
}
