import { CommandFailure } from '../../command-failure.ts'
import { adoptionLine } from '../../registrations/planning/adoption.ts'
import type { Plan } from '../../registrations/planning/plan.ts'
import { diffOf } from '../../registrations/planning/plan-text.ts'
import type { Terminal } from '../../terminal.ts'

/**
 * Asks for each application that was found by a name alone, whether it is the one that is meant.
 * `--yes` does not answer this: somebody else may have planted the application.
 *
 * @throws {CommandFailure} badUsage when nobody can be asked; failed when the answer is no.
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
      const message = `An application was found by its ${foundBy} alone, and nobody is here to be asked:\n${line}`
      const remedy = `Nothing was changed. If it is the application that you mean, add "applicationId": "${applicationId}" to the entry "${application}" of ${path}. --yes does not cover this.`
      throw new CommandFailure('badUsage', message, { remedy })
    }
    await demandYes(
      ask,
      `${line}\nAnybody who may create applications can choose this ${foundBy}.\nIs it the application that the file means? (yes or no) `,
    )
  }
}

/** Nothing is taken away from anybody unless a person, or `--yes`, agrees. */
export async function confirmLosses(
  { steps }: Plan,
  yes: true | undefined,
  { ask }: Terminal,
): Promise<void> {
  const destructive = steps.filter((step) => step.destructive)
  if (yes || destructive.length === 0) return
  const lines = destructive.flatMap((step) => diffOf(step)).join('\n')
  if (ask === undefined) {
    const message = `This takes away or replaces something, and nobody is here to be asked:\n${lines}`
    const remedy = 'Nothing was changed. Say --yes if that is meant.'
    throw new CommandFailure('badUsage', message, { remedy })
  }
  await demandYes(ask, `This takes away or replaces something:\n${lines}\nDo it? (yes or no) `)
}

async function demandYes(ask: NonNullable<Terminal['ask']>, question: string): Promise<void> {
  const answer = await ask(question)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('failed', 'Nothing was changed.')
}
