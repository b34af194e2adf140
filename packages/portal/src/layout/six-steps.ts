import {
  answerText,
  type Explanation,
  missingSteps,
  missingText,
  type RegistrationStep,
  registrationSteps,
  sizeText,
} from '@greeting/registrations/planning'
import { html } from 'hono/html'
import { applicationPath, type Tab } from './application-page.ts'
import { mark } from './parts.ts'

/** Where each step is done: at the application of the API or of the client. */
const places: Readonly<
  Record<RegistrationStep, { readonly of: 'api' | 'client'; readonly tab: Tab }>
> = {
  'API registration': { of: 'api', tab: 'Expose an API' },
  'Application roles': { of: 'api', tab: 'App roles' },
  'Client registration': { of: 'client', tab: 'Overview' },
  Permissions: { of: 'client', tab: 'API permissions' },
  'Admin consent': { of: 'client', tab: 'API permissions' },
  'Client secret': { of: 'client', tab: 'Certificates & secrets' },
}

const marks = {
  done: ['good', 'done'],
  partly: ['warn', 'partly'],
  missing: ['bad', 'missing'],
  unknown: ['plain', 'unknown'],
} as const

/** The six registration steps of a client and an API, with links to those that are missing. */
export function sixSteps(explanation: Explanation, ids: { api: string; client: string }) {
  const missing = missingSteps(explanation)
  const sentence = missingText(explanation)
  const size = sizeText(explanation)
  return html`<p class="answer">${answerText(explanation)}${sentence && html` <strong>${sentence}</strong>`}</p>
${size && html`<p class="problem">${size}</p>`}
<ol class="steps">${explanation.steps.map((one) => {
    const [kind, word] = marks[one.state]
    const { of, tab } = places[one.step]
    const isFirst = one === missing[0]
    return html`<li${missing.includes(one) ? html` class="missing"` : ''}${isFirst ? html` aria-current="step"` : ''}><span class="number">${registrationSteps.indexOf(one.step) + 1}</span>
<span><a href="${applicationPath(ids[of], tab)}">${one.step}</a><br><small>${one.detail}</small></span>
<span>${mark(kind, word)}</span></li>`
  })}</ol>`
}
