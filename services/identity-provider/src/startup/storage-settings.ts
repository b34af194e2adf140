import { PostgresAddressError, parsePostgresAddress } from '@greeting/directory/storage'
import { expected, setting, wholeNumber } from '@greeting/http-service'
import { z } from 'zod'

const databaseUrl = z.string().check(({ value, issues }) => {
  try {
    parsePostgresAddress(value)
  } catch (cause) {
    if (!(cause instanceof PostgresAddressError)) throw cause
    issues.push({ code: 'custom', input: value, message: cause.message })
  }
})

/** The settings that choose the store. */
export const storageSettings = {
  DATABASE_URL: setting(
    databaseUrl.optional(),
    '`postgres://user:password@host:port/name`, for several servers; [several hosts](../guides/storage.md#settings) with commas; `target_session_attrs` is `read-write`, `primary` or `any`; [TLS](../guides/storage.md#tls-to-the-database) by `sslmode`, `sslrootcert`, `sslcert`, `sslkey`',
    'a file in `DATA_DIR`',
  ),
  DATABASE_READ_URL: setting(
    databaseUrl.optional(),
    'one or several standbys of `DATABASE_URL` in this region: tokens are issued from them [while the primary is unavailable](../guides/storage.md#a-region-without-its-primary)',
    'none',
  ),
  DATABASE_READ_STALENESS_SECONDS: setting(
    wholeNumber(10, 3600).default(300),
    'how old the state may be from which tokens are issued while the primary is unavailable, 10 to 3600. A withdrawn consent or a removed secret is effective at most so much later',
  ),
  ASSERTION_DATABASE_URL: setting(
    databaseUrl.optional(),
    'a database of this region for used client assertions, with `ASSERTION_USE=once`. Each assertion is then valid for one token in each region, also while the primary is unavailable',
    '`DATABASE_URL`',
  ),
  LOST_CHANGES: setting(
    z.enum(['refuse', 'accept'], expected('refuse or accept')).default('refuse'),
    '`refuse` does not start with a data file that [lacks acknowledged changes](../guides/storage.md#acknowledged-changes), or without the [store of its folder](../guides/storage.md#lost-store); `accept` starts, and records it',
  ),
}

/** The settings that have no effect, each with the reason. */
export function storageFaults(value: {
  readonly ASSERTION_DATABASE_URL?: string | undefined
  readonly ASSERTION_USE: 'until-expiry' | 'once'
  readonly DATABASE_URL?: string | undefined
  readonly DATABASE_READ_URL?: string | undefined
}): readonly (readonly [name: string, message: string])[] {
  const { ASSERTION_DATABASE_URL, ASSERTION_USE, DATABASE_READ_URL, DATABASE_URL } = value
  const faults: [string, string][] = []
  if (DATABASE_READ_URL !== undefined && DATABASE_URL === undefined)
    faults.push(['DATABASE_READ_URL', 'expected no value, because DATABASE_URL has none'])
  if (ASSERTION_DATABASE_URL !== undefined && ASSERTION_USE !== 'once')
    faults.push(['ASSERTION_DATABASE_URL', 'expected no value, because ASSERTION_USE is not once'])
  return faults
}
