import type { SecretEntry } from '../../registrations-file.ts'
import type { PasswordCredential } from '../directory/directory-state.ts'
import type { Located } from '../directory/locate.ts'
import type { Change } from './change.ts'

const dayMs = 86_400_000

type SecretOptions = {
  readonly now: Date
  /** Whether new secrets are requested before they are due. */
  readonly rotate: boolean
  /** Names of the APIs of which the client requests permissions. */
  readonly apis: readonly string[]
}

/** Step 6, secrets: creates missing ones, rotates due ones, and removes those outside the file. */
export function planSecrets(
  client: Located,
  wanted: readonly SecretEntry[],
  { now, rotate, apis }: SecretOptions,
): Change[] {
  const about = { step: 'Client secret', application: client.name } as const
  const present = client.application?.passwordCredentials ?? []
  const isListed = ({ displayName }: PasswordCredential) =>
    wanted.some((entry) => entry.displayName === displayName)
  return [
    ...wanted.flatMap(({ displayName: secret, lifetimeDays, overlapDays }): Change[] => {
      const same = present.filter(({ displayName }) => displayName === secret)
      const latest = same.toSorted((a, b) => +b.endDateTime - +a.endDateTime)[0]
      const details = { ...about, secret, lifetimeDays, apis }
      if (latest === undefined) return [{ kind: 'createSecret', destructive: false, ...details }]
      const leftDays = (+latest.endDateTime - +now) / dayMs
      if (leftDays <= 0) {
        const reason = `the last one ended on ${day(latest.endDateTime)}`
        return [{ kind: 'createSecret', destructive: false, ...details, reason }]
      }
      if (rotate)
        return [{ kind: 'rotateSecret', destructive: true, ...details, reason: 'requested' }]
      if (leftDays > overlapDays) return []
      const reason = `the current one ends on ${day(latest.endDateTime)}`
      return [{ kind: 'rotateSecret', destructive: true, ...details, reason }]
    }),
    ...present.flatMap((credential): Change[] => {
      const hasEnded = credential.endDateTime <= now
      if (isListed(credential) && !hasEnded) return []
      return [
        {
          kind: 'removeSecret',
          ...about,
          destructive: !hasEnded,
          secret: credential.displayName ?? 'without a name',
          keyId: credential.keyId,
          hint: credential.hint ?? '',
          endDateTime: credential.endDateTime,
          reason: hasEnded ? `ended on ${day(credential.endDateTime)}` : 'not in the file',
        },
      ]
    }),
  ]
}

/** A date in UTC, for people. */
export const day = (date: Date): string => date.toISOString().slice(0, 10)
