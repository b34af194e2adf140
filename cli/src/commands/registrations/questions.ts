import type { Plan } from '@greeting/registrations/planning'
import { adoptionLine, diffOf } from '@greeting/registrations/planning'
import { CommandFailure } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'

/**
 * Asks for confirmation of each application that was found only by a name. `--yes` does not answer
 * this: an attacker may have created the application.
 *
 * @throws {CommandFailure} bad_usage without a terminal; failed when the answer is no.
 */
export async function confirmAdoptions(
  { adoptions }: Plan,
  path: string,
  { ask }: Terminal,
): Promise<void> {
  for (const adoption of adoptions) {
    const { application, applicationId, foundBy } = adoption
    const line = adoptionLine(adoption)
    if (ask === undefined) {
      const message = `An application was found by its ${foundBy} only, and confirmation needs a terminal:\n${line}`
      const remedy = `Nothing was changed. If this is the right application, add "applicationId": "${applicationId}" to the entry "${application}" of ${path}. --yes does not cover this.`
      throw new CommandFailure('bad_usage', message, { remedy })
    }
    await requireYes(
      ask,
      `${line}\nEvery user who can create applications can choose this ${foundBy}.\nIs this the right application? (yes or no) `,
    )
  }
}

/** Asks before changes that remove something, unless `--yes` is set. */
export async function confirmLosses(
  { changes }: Plan,
  yes: true | undefined,
  { ask }: Terminal,
): Promise<void> {
  const destructive = changes.filter((change) => change.destructive)
  if (yes || destructive.length === 0) return
  const lines = destructive.flatMap((change) => diffOf(change)).join('\n')
  if (ask === undefined) {
    const message = `These changes remove or replace something, and confirmation needs a terminal:\n${lines}`
    const remedy = 'Nothing was changed. Use --yes to confirm.'
    throw new CommandFailure('bad_usage', message, { remedy })
  }
  await requireYes(
    ask,
    `These changes remove or replace something:\n${lines}\nApply them? (yes or no) `,
  )
}

async function requireYes(ask: NonNullable<Terminal['ask']>, question: string): Promise<void> {
  const answer = await ask(question)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('failed', 'Nothing was changed')
}
