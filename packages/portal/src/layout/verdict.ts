import {
  carriedRoles,
  type Explanation,
  isComplete,
  missingSteps,
  missingText,
  type RegistrationStep,
  registrationSteps,
  sizeText,
} from '@greeting/registrations/planning'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import { applicationPath, type Tab } from './application-page.ts'
import { buttonForm } from './form.ts'
import { type Html, mark, named } from './parts.ts'

type Ids = { readonly api: string; readonly client: string; readonly etag?: string }

/** Whose tab does each step, and the words of its button; `form`: the suffix of the form that does it at once. */
const places: Readonly<
  Record<RegistrationStep, readonly [of: 'api' | 'client', tab: Tab, action: string, form?: string]>
> = {
  'API registration': ['api', 'Overview', 'Complete the API'],
  'Application roles': ['api', 'App roles', 'Add app roles'],
  'Client registration': ['client', 'Overview', 'Complete the client'],
  Permissions: ['client', 'API permissions', 'Request roles'],
  'Admin consent': ['client', 'API permissions', 'Grant admin consent', '/consent'],
  'Client secret': ['client', 'Certificates & secrets', 'New client secret', '/secrets'],
}

const marks = {
  done: ['good', 'done'],
  partly: ['warn', 'partly'],
  missing: ['bad', 'missing'],
  unknown: ['plain', 'unknown'],
} as const

/**
 * Whether a client gets a token of an API, and with which roles: one sentence, all missing steps, and the
 * six steps with what does each. The first missing step has the primary button of the page.
 */
export function verdict(request: AdministratorRequest, explanation: Explanation, ids: Ids) {
  const missing = missingSteps(explanation)
  const size = sizeText(explanation)
  const kind = explanation.refusal ? 'bad' : isComplete(explanation) ? 'good' : 'warn'
  return html`<section class="verdict ${kind}" aria-label="Verdict"><p>${answer(explanation)} <strong>${missingText(explanation)}</strong>${kind === 'good' && request.section !== 'Token' && html` <a role="button" class="primary" href="/portal/token?${new URLSearchParams({ client: ids.client, api: ids.api })}">Request the token</a>`}</p>
${size && html`<p class="problem">${size}</p>`}
<ol class="steps">${explanation.steps.map((one) => {
    const [state, word] = marks[one.state]
    const [of, tab] = places[one.step]
    const isMissing = missing.includes(one)
    const isFirst = one === missing[0]
    return html`<li${isMissing ? html` class="missing"` : ''}${isFirst ? html` aria-current="step"` : ''}><span class="number">${registrationSteps.indexOf(one.step) + 1}</span>
<span><a href="${applicationPath(ids[of], tab)}">${one.step}</a><br><small>${one.detail}</small></span>
<span>${mark(state, word)} ${isMissing ? repair(request, explanation, one.step, ids) : ''}</span></li>`
  })}</ol></section>`
}

/** The result alone: the missing steps have its reasons. */
function answer(explanation: Explanation): Html {
  const { client, api, refusal, steps } = explanation
  const [of, by] = [named(client), named(api)]
  if (refusal) {
    const isOfStep = steps.some((one) => one.refusal === refusal)
    return html`${of} gets no token for ${by}${!isOfStep && `: ${refusal.reason}`} (AADSTS${refusal.aadstsCode}).`
  }
  const roles = carriedRoles(explanation).join(', ')
  return html`${of} gets a token for ${by} ${roles ? `with ${roles}` : 'without any role'}.`
}

/** What does a missing step. */
function repair(
  request: AdministratorRequest,
  explanation: Explanation,
  step: RegistrationStep,
  ids: Ids,
): Html {
  const [of, tab, action, form] = places[step]
  const kind = step === missingSteps(explanation)[0]?.step ? 'primary' : 'secondary'
  const path = applicationPath(ids[of], tab)
  // Without an entity tag, the back button would make a second secret.
  if (form === undefined || (step === 'Client secret' && ids.etag === undefined)) {
    const target = step === 'Permissions' ? `${path}?api=${ids.api}` : path
    return html`<a role="button" class="${kind}" href="${target}">${action}</a>`
  }
  const waiting = explanation.roles.filter(({ state }) => state === 'not_granted')
  const roles = waiting.map(({ value }) => value).join(', ')
  const effect =
    step === 'Admin consent' &&
    html`<br><small>Adds ${roles} of ${named(explanation.api)} to ${named(explanation.client)}. Revokes nothing.</small>`
  // Without a request, there is nothing to consent to.
  if (step === 'Admin consent' && roles === '') return ''
  return html`${buttonForm(request, `${path}${form}`, action, ids, kind)}${effect}`
}
