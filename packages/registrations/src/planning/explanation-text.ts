import { carriedRoles, type Explanation, type StepResult } from './explanation.ts'
import { onOneLine } from './one-line.ts'
import { registrationSteps } from './registration-step.ts'

const marks: Readonly<Record<StepResult['state'], string>> = {
  done: 'ok',
  partly: 'partly',
  missing: 'MISSING',
}

/** An explanation for people: the answer, then the state of each of the six registration steps. */
export function explanationText(explanation: Explanation): string {
  const rows = explanation.steps.map(({ step, state, detail }) => {
    const number = registrationSteps.indexOf(step) + 1
    return `  ${number} ${step.padEnd(20)} ${marks[state].padEnd(8)} ${onOneLine(detail)}`
  })
  return [onOneLine(answer(explanation)), '', ...rows, ''].join('\n')
}

function answer(explanation: Explanation): string {
  const { client, api, refusal } = explanation
  if (refusal !== undefined)
    return `"${client}" gets no token for "${api}": ${refusal.reason} (AADSTS${refusal.aadstsCode}).`
  const roles = carriedRoles(explanation)
  if (roles.length === 0) return `"${client}" gets a token for "${api}" without any role.`
  return `"${client}" gets a token for "${api}" with ${roles.join(', ')}.`
}
