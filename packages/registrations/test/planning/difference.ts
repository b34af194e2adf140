import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations } from '@greeting/registrations'
import { sampleFile } from '@greeting/registrations/samples'
import { planRegistrations } from '../../src/planning/plan.ts'
import { diffOf } from '../../src/planning/plan-text.ts'
import type { CertificateToAdd } from '../../src/planning/steps/change.ts'
import { confirmedIn, now, sampleState } from './sample-state.ts'

export type Sample = ReturnType<typeof sampleFile>
type Entry = Record<string, unknown>

/** A change of the sample file, and the lines of its plan. */
export type Difference = {
  readonly name: string
  readonly expected: string[]
  readonly change: (file: Sample) => unknown
  readonly state?: ReturnType<typeof sampleState>
  /** The clients whose secrets rotate. */
  readonly rotate?: string[]
  /** The key IDs of secrets whose texts are lost. */
  readonly lost?: string[]
}

export const certificate: CertificateToAdd = {
  displayName: 'laptop',
  sha1Thumbprint: 'acee7edfb5e53e6a8f45a8d8b1b6c1c1a3b1a0d2',
  startDateTime: new Date('2026-01-01T00:00:00Z'),
  endDateTime: new Date('2027-01-01T00:00:00Z'),
  der: 'MIIB',
}

/** The diff between the sample file, after `change`, and a directory; role IDs are replaced by names. */
function diff(
  change: (file: Sample) => unknown,
  state = sampleState(),
  { rotate = [], lost = [] }: Pick<Difference, 'rotate' | 'lost'> = {},
): string[] {
  const file = sampleFile()
  const changed = change(file) ?? file
  const { changes, faults } = planRegistrations({
    file: parseRegistrations(JSON.stringify(changed)),
    state,
    now,
    confirmed: confirmedIn(state),
    certificates: new Map([['laptop.pem', certificate]]),
    rotate: new Set(rotate),
    lost: new Set(lost),
  })
  return [
    ...faults,
    ...changes.flatMap((change) => diffOf(change).map((line) => `${change.kind} ${line}`)),
  ]
}

export const api = (file: Sample): Entry => file.apis[0] ?? {}
export const client = (file: Sample): Entry => file.clients[0] ?? {}
export const role = (file: Sample, index = 0): Entry => file.apis[0]?.appRoles[index] ?? {}
export const set = (entry: Entry, values: Entry) => void Object.assign(entry, values)
export const same = () => undefined

/** Adds a test for each difference: the plan contains it, and nothing else. */
export function describeDifferences(title: string, differences: readonly Difference[]): void {
  describe(title, () => {
    for (const { name, expected, change, state, ...options } of differences) {
      it(name, () => assert.deepEqual(diff(change, state, options), expected))
    }
  })
}
