import { carriedRoles, type Explanation, type Finding } from './explanation.ts'
import { oneLine } from './one-line.ts'
import { registrationSteps } from './registration-step.ts'

const marks: Readonly<Record<Finding['state'], string>> = {
  done: 'ok',
  partly: 'partly',
  missing: 'MISSING',
}

/** An explanation as people read it: the answer, then the six acts and what each has come to. */
export function explanationText(explanation: Explanation): string {
  const rows = explanation.findings.map(({ act, state, detail }) => {
    const number = registrationSteps.indexOf(act) + 1
    return `  ${number} ${act.padEnd(20)} ${marks[state].padEnd(8)} ${oneLine(detail)}`
  })
  return [oneLine(answer(explanation)), '', ...rows, ''].join('\n')
}

function answer(explanation: Explanation): string {
  const { client, api, refusal } = explanation
  if (refusal !== undefined)
    return `"${client}" gets no token for "${api}": ${refusal.reason} (AADSTS${refusal.aadstsCode}).`
  const roles = carriedRoles(explanation)
  if (roles.length === 0) return `"${client}" gets a token for "${api}" without any role.`
  return `"${client}" gets a token for "${api}" with ${roles.join(', ')}.`
}
