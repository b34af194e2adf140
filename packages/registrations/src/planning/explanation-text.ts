import {
  answerText,
  type Explanation,
  missingText,
  type StepResult,
  sizeText,
} from './explanation.ts'
import { onOneLine } from './one-line.ts'
import { registrationSteps } from './steps/registration-step.ts'

const marks: Readonly<Record<StepResult['state'], string>> = {
  done: 'ok',
  partly: 'partly',
  missing: 'MISSING',
  unknown: 'unknown',
}

/** An explanation for people: the answer, all missing steps, then the state of each of the six registration steps. */
export function explanationText(explanation: Explanation): string {
  const rows = explanation.steps.map(({ step, state, detail }) => {
    const number = registrationSteps.indexOf(step) + 1
    return `  ${number} ${step.padEnd(20)} ${marks[state].padEnd(8)} ${onOneLine(detail)}`
  })
  const sentences = [answerText(explanation), missingText(explanation), sizeText(explanation)]
  const lines = sentences.filter((sentence) => sentence !== '').map(onOneLine)
  return [...lines, '', ...rows, ''].join('\n')
}
