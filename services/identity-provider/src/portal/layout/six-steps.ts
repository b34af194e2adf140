import {
  carriedRoles,
  type Explanation,
  type RegistrationStep,
  registrationSteps,
} from '@greeting/registrations/planning'
import { html } from 'hono/html'
import { applicationPath, type Tab } from './application-tabs.ts'
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
} as const

/** The answer to the question: does this client get these roles, and if not, which step is missing? */
export function answerText(explanation: Explanation): string {
  const { client, api, refusal } = explanation
  if (refusal) {
    return `${client} gets no token for ${api}: ${refusal.reason} (AADSTS${refusal.aadstsCode}).`
  }
  const roles = carriedRoles(explanation)
  if (roles.length > 0) return `${client} gets a token for ${api} with ${roles.join(', ')}.`
  return `${client} gets a token for ${api} without any role.`
}

/** The first step that is not done; undefined when all are. */
export const missingStep = ({ steps }: Explanation) => steps.find(({ state }) => state !== 'done')

/** The six registration steps of a client and an API, with links to those that are missing. */
export function sixSteps(explanation: Explanation, ids: { api: string; client: string }) {
  const first = missingStep(explanation)
  return html`<p class="answer">${answerText(explanation)}${first && html` <strong>Missing step: ${first.step}.</strong>`}</p>
<ol class="steps">${explanation.steps.map((one) => {
    const [kind, word] = marks[one.state]
    const { of, tab } = places[one.step]
    return html`<li${one === first ? html` class="missing" aria-current="step"` : ''}><span class="number">${registrationSteps.indexOf(one.step) + 1}</span>
<span><a href="${applicationPath(ids[of], tab)}">${one.step}</a><br><small>${one.detail}</small></span>
<span>${mark(kind, word)}</span></li>`
  })}</ol>`
}
