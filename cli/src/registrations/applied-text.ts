import type { Applied } from './graph/apply.ts'
import type { NewSecret } from './graph/secret-sink.ts'
import { day } from './planning/plan-secrets.ts'
import { diffOf } from './planning/plan-text.ts'
import type { Step } from './planning/step.ts'
import type { KeptSecret } from './secret-files.ts'

/** What a run has come to, as people read it: all of it, or how far it came. */
export function appliedText({ done, stopped, left }: Applied): string {
  if (stopped === undefined) return 'Done: the directory is as the file says.\n'
  return [
    ...section('Done, and it stays:', done),
    ...section('Refused:', [stopped.step]),
    ...section('Not tried:', left),
    '',
  ].join('\n')
}

/** Where new secrets are, or the secrets themselves when nothing keeps them. */
export const secretLines = (secrets: readonly (KeptSecret | NewSecret)[]): string =>
  secrets
    .map((one) => {
      const what = `secret "${one.secret}" of "${one.client}", good until ${day(one.endDateTime)}`
      return 'file' in one
        ? `The ${what}, is in ${one.file}\n`
        : `# The ${what}; it is not shown again\nCLIENT_ID=${one.clientId}\nCLIENT_SECRET='${one.secretText}'\n`
    })
    .join('')

const section = (title: string, steps: readonly Step[]) =>
  steps.length === 0 ? [] : [title, ...steps.flatMap((step) => diffOf(step))]
