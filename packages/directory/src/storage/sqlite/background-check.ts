import { stat } from 'node:fs/promises'
import type { SqliteChannel } from './sqlite-channel.ts'
import { maxBytesCheckedAtOpen } from './sqlite-connection.ts'
import { isDamage } from './sqlite-fault.ts'

/** A running check of a data file. */
export type BackgroundCheck = {
  /** Ends the check before its next table. */
  readonly stop: () => void
  /** Resolves when the thread of the check has ended. Never rejects. */
  readonly done: Promise<void>
}

/**
 * Checks every table of a file that is too large for a check when it is opened, in a thread that
 * ends with the check. A file with a million audit records takes seconds.
 *
 * @param openThread opens a thread with a connection to the file
 * @param onFault receives the first fault
 */
export function checkInBackground(
  path: string,
  openThread: () => SqliteChannel,
  onFault: (fault: unknown) => void,
): BackgroundCheck {
  let isStopped = false
  const check = async () => {
    if ((await stat(path)).size <= maxBytesCheckedAtOpen) return
    const thread = openThread()
    const query = async (sql: string) =>
      (await thread.execute({ sql, parameters: [], isInTransaction: false })).rows.map(
        ([one]) => one,
      )
    try {
      const tables = await query("select name from sqlite_schema where type = 'table'")
      for (const table of tables) {
        if (isStopped) return
        const [verdict] = await query(
          `pragma quick_check('${String(table).replaceAll("'", "''")}')`,
        )
        if (verdict !== 'ok') return onFault(verdict)
      }
    } finally {
      await thread.close()
    }
  }
  const stop = () => {
    isStopped = true
  }
  const done = check().catch((cause) => {
    // Other errors are no verdict: the statements of the service report a locked or replaced file.
    if (isDamage(cause)) onFault(cause)
  })
  return { stop, done }
}
