import { day } from '@greeting/registrations/directory'
import { html } from 'hono/html'
import type { AdministratorRequest } from '../graph/administrator-request.ts'
import type { UnclearName } from '../graph/applications.ts'
import type { Form } from '../security/portal-form.ts'
import type { Html } from './parts.ts'

/** A form that was sent and refused: its fields are shown again, with the reason. */
export type Attempt = {
  readonly action: string
  readonly form: Form
  readonly message: string
  readonly status: number
}

/** A form with its token. */
export const form = (
  request: AdministratorRequest,
  action: string,
  content: Html,
  attributes: Html = '',
) =>
  html`<form method="post" action="${action}"${attributes}>${hiddenFields({ form_token: request.tokenOf(action) })}
${content}
</form>`

/** The words of a button. The second part is for screen readers only: the page shows it beside the button. */
type Words = string | readonly [verb: string, noun: string]

const shown = (words: Words): Html =>
  typeof words === 'string' ? words : html`${words[0]}<span class="read"> ${words[1]}</span>`

export const buttonForm = (
  request: AdministratorRequest,
  action: string,
  label: Words,
  fields: Readonly<Record<string, string>> = {},
  kind = 'secondary',
) =>
  form(
    request,
    action,
    html`${hiddenFields(fields)}<button class="${kind}">${shown(label)}</button>`,
    html` class="button-form"`,
  )

/** A form that deletes or revokes, folded: its text says what happens to whom. */
export const danger = (summary: Words, effect: Html, one: Html) =>
  html`<details class="danger"><summary>${shown(summary)}</summary><p>${effect}</p>${one}</details>`

export const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )

type Field = {
  readonly name: string
  readonly label: string
  readonly help?: Html
  readonly type?: string
  readonly value?: string
  readonly required?: boolean
  readonly maxLength?: number
  readonly autocomplete?: string
  readonly placeholder?: string
  /** The ID of a list of values that it offers. */
  readonly list?: string
}

/** A text field with its label and help. After a refused attempt it has what was typed. */
export function field(one: Field, attempt?: Attempt) {
  const value = attempt?.form.get(one.name) ?? one.value ?? ''
  const help = one.help && html`<small id="${one.name}-help">${one.help}</small>`
  return html`<label>${one.label}
<input name="${one.name}" type="${one.type ?? 'text'}" value="${value}"${one.required ? html` required` : ''}${one.maxLength ? html` maxlength="${one.maxLength}"` : ''} autocomplete="${one.autocomplete ?? 'off'}"${one.list ? html` list="${one.list}"` : ''}${one.placeholder ? html` placeholder="${one.placeholder}"` : ''}${help ? html` aria-describedby="${one.name}-help"` : ''} spellcheck="false">${help}</label>`
}

/** A field for one value in each line. */
export const lines = (
  one: Pick<Field, 'name' | 'label' | 'help' | 'value' | 'required'> & { readonly rows?: number },
  attempt?: Attempt,
) =>
  html`<label>${one.label}
<textarea name="${one.name}" rows="${one.rows ?? 3}" spellcheck="false"${one.required ? html` required` : ''}>${attempt?.form.get(one.name) ?? one.value ?? ''}</textarea>${one.help && html`<small>${one.help}</small>`}</label>`

/** The values of such a field, each once. */
export const linesOf = (sent: Form, name: string): readonly string[] => [
  ...new Set(
    (sent.get(name) ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

/** A text field that suggests names. The server accepts a name, a part of a name, a URI or an ID. */
export function picker(one: Field & { readonly options: readonly string[] }) {
  const list = `${one.name}-names`
  return html`${field({ ...one, maxLength: 256, list })}<datalist id="${list}">${one.options.map((name) => html`<option value="${name}"></option>`)}</datalist>`
}

/** The same page for each application that an unclear name can mean. */
export const candidateLinks = (
  { text, candidates }: UnclearName,
  path: string,
  chosen: Readonly<Record<string, string>>,
): Html => {
  const name = Object.keys(chosen).find((one) => chosen[one] === text) ?? ''
  if (candidates.length === 0) return ''
  return html`<ul>${candidates.map(({ applicationId, displayName, createdDateTime }) => {
    const query = new URLSearchParams({ ...chosen, [name]: applicationId })
    return html`<li><a href="${path}?${query}">${displayName}</a> <code>${applicationId}</code>${createdDateTime && ` since ${day(createdDateTime)}`}</li>`
  })}</ul>`
}

/** A list of choices with its label. */
export function choice(
  one: Pick<Field, 'name' | 'label' | 'help'> & {
    readonly options: readonly { readonly value: string; readonly label: string }[]
    readonly value?: string | undefined
  },
  attempt?: Attempt,
) {
  const chosen = attempt?.form.get(one.name) ?? one.value
  return html`<label>${one.label}
<select name="${one.name}">${one.options.map(
    ({ value, label }) =>
      html`<option value="${value}"${value === chosen ? html` selected` : ''}>${label}</option>`,
  )}</select>${one.help && html`<small>${one.help}</small>`}</label>`
}

/** The reason why an attempt was refused, above the form. */
export const problem = (attempt: Attempt | undefined, result = 'Not done.') =>
  attempt && html`<p role="alert" class="problem"><strong>${result}</strong> ${attempt.message}</p>`
