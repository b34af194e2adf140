import {
  carriedRoles,
  type Explanation,
  isComplete,
  missingSteps,
  missingText,
  type RegistrationStep,
  registrationSteps,
  type StepResult,
  sizeText,
} from '@greeting/registrations/explaining'
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
  'API registration': ['api', 'Overview', 'Complete the API registration'],
  'Application roles': ['api', 'App roles', 'Add app roles'],
  'Client registration': ['client', 'Overview', 'Complete the client registration'],
  Permissions: ['client', 'API permissions', 'Request roles'],
  'Admin consent': ['client', 'API permissions', 'Grant admin consent', '/consent'],
  'Client secret': ['client', 'Certificates & secrets', 'New client secret', '/secrets'],
}

const marks = {
  done: ['good', 'done'],
  partly: ['warn', 'partly done'],
  missing: ['bad', 'missing'],
  unknown: ['plain', 'unknown'],
} as const

/**
 * Whether a client gets a token of an API, and with which roles: one sentence, all missing steps, and the
 * six steps with what does each. The first missing step has the primary button of the page.
 */
export async function verdict(request: AdministratorRequest, explanation: Explanation, ids: Ids) {
  const missing = missingSteps(explanation)
  const size = sizeText(explanation)
  const isOfAgents = explanation.refusal?.aadstsCode === 82001
  const kind = explanation.refusal ? 'bad' : isComplete(explanation) ? 'good' : 'warn'
  return html`<section class="verdict ${kind}" aria-label="Verdict"><p>${answer(explanation)}${missing.length > 0 && html` <strong>${missingText(explanation)}</strong>`}${kind === 'good' && request.section !== 'Token' && html` <a role="button" class="primary" href="/portal/token?${new URLSearchParams({ client: ids.client, api: ids.api })}">Request the token</a>`}${isOfAgents && html` <a role="button" class="primary" href="${applicationPath(ids.client, 'Agents')}">Show the agents</a>`}</p>
${size && html`<p class="problem">${size}</p>`}${explanation.note && html`<p class="note">${explanation.note}</p>`}
<ol class="steps">${explanation.steps.map((one) => {
    const [state, word] = marks[one.state]
    const [, tab] = places[one.step]
    const isMissing = missing.includes(one)
    const isFirst = one === missing[0] && !isOfAgents
    return html`<li${isMissing ? html` class="missing"` : ''}${isFirst ? html` aria-current="step"` : ''}><span class="number">${registrationSteps.indexOf(one.step) + 1}</span>
<span><a href="${applicationPath(ownerOf(explanation, one, ids), tab)}">${one.step}</a> <small>${one.detail}</small>${isMissing && one.step === 'Admin consent' && effectOf(explanation)}</span>
<span>${mark(state, word)} ${isMissing ? repair(request, explanation, one, ids, isFirst ? 'primary' : 'secondary') : ''}</span></li>`
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
  const inherited = explanation.roles.flatMap((one) =>
    one.source === 'inherited' ? one.value : [],
  )
  const roles = carriedRoles(explanation)
    .map((role) => (inherited.includes(role) ? `${role} (inherited)` : role))
    .join(', ')
  return html`${of} gets a token for ${by} ${roles ? `with ${roles}` : 'without any role'}.`
}

/** The application whose tab does a step: the API, the client, or the blueprint of an agent. */
const ownerOf = ({ blueprint }: Explanation, { step, of }: StepResult, ids: Ids): string =>
  (of === 'blueprint' && blueprint?.id) || ids[places[step][0]]

/** The control that performs a missing step. */
function repair(
  request: AdministratorRequest,
  explanation: Explanation,
  one: StepResult,
  ids: Ids,
  kind: 'primary' | 'secondary',
): Html {
  const { step } = one
  const [, tab, action, form] = places[step]
  const path = applicationPath(ownerOf(explanation, one, ids), tab)
  // Without an entity tag, the back button would make a second secret.
  if (form === undefined || (step === 'Client secret' && ids.etag === undefined)) {
    const target = step === 'Permissions' ? `${path}?api=${ids.api}` : path
    const ofAgent: Partial<Record<RegistrationStep, string>> = {
      'Client registration': one.of ? 'Open the blueprint' : 'Open the agent',
      Permissions: 'Assign roles',
    }
    const name = (explanation.blueprint && ofAgent[step]) ?? action
    return html`<a role="button" class="${kind}" href="${target}">${name}</a>`
  }
  const waiting = explanation.roles.filter(({ state }) => state === 'not_granted')
  const isBlocked = explanation.roles.some(({ state }) => state === 'not_inheritable')
  if (step === 'Admin consent' && waiting.length === 0 && isBlocked) {
    const fields = { api: ids.api, value: 'true' }
    return buttonForm(request, `${path}/inherit`, 'Let agents inherit the roles', fields, kind)
  }
  // Without a request, there is nothing to consent to.
  if (step === 'Admin consent' && waiting.length === 0) return ''
  return buttonForm(request, `${path}${form}`, action, ids, kind)
}

/** What admin consent would change, below its step. */
function effectOf({ roles, api, blueprint, client }: Explanation): Html {
  const waiting = roles.flatMap((one) => (one.state === 'not_granted' ? one.value : []))
  if (waiting.length === 0) return ''
  return html`<small>Grants ${waiting.join(', ')} of ${named(api)} to ${named(blueprint?.name ?? client)}. Revokes nothing.</small>`
}
