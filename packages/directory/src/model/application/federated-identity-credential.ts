import { z } from 'zod'
import { isSafeIssuerUrl } from '../issuer-url.ts'
import { bodyCollection, name, text } from '../properties/forms.ts'
import { complexType, formsOf, type Property, shownProperties } from '../properties/property.ts'

/**
 * Trusts an external issuer: a token with this issuer and audience, and with this subject or with claims
 * that match the expression, authenticates the application.
 */
export type FederatedIdentityCredential = {
  /** A GUID in lower case. */
  readonly id: string
  /** Unique within the application. */
  readonly name: string
  readonly description: string | null
  /** Compared exactly with the assertion's `iss`. */
  readonly issuer: string
  /** Exactly one, compared with the assertion's `aud`. */
  readonly audiences: readonly string[]
} & TrustedClaims

/** The claims of the trusted tokens: one subject, or all that an expression matches. */
export type TrustedClaims =
  | {
      /** Compared exactly with the assertion's `sub`. */
      readonly subject: string
      readonly claimsMatchingExpression?: never
    }
  | {
      readonly subject: null
      /** In the form that `parseClaimsMatchingExpression` reads. */
      readonly claimsMatchingExpression: string
    }

const expressionType = complexType('federatedIdentityExpression', {
  languageVersion: { type: 'Edm.Int32', body: z.literal(1) },
  value: { body: name(600) },
})

const oneAudience = 'must hold exactly one audience'

const properties = {
  id: {},
  name: {
    filter: 'value',
    body: name(120).regex(
      /^[A-Za-z0-9][A-Za-z0-9._~-]{2,}$/,
      'must be 3 to 120 letters, digits and -._~, and start with a letter or digit',
    ),
  },
  issuer: {
    filter: 'value',
    body: name(600).refine(isIssuer, 'must be an https URL without query and fragment'),
  },
  subject: { filter: 'value', body: name(600).nullish() },
  description: { body: text(600).nullish() },
  audiences: {
    type: 'Collection(Edm.String)',
    body: bodyCollection(name(600), 1, oneAudience).refine(
      ({ length }) => length === 1,
      oneAudience,
    ),
  },
  // Microsoft Graph shows it in its beta version only. It is absent when there is a subject.
  claimsMatchingExpression: {
    body: z.strictObject(formsOf(expressionType.members)).nullish(),
    show: ({ claimsMatchingExpression: value }) =>
      value === undefined ? undefined : { value, languageVersion: 1 },
    type: expressionType,
  },
} as const satisfies Readonly<Record<string, Property<FederatedIdentityCredential, unknown>>>

/** Microsoft Graph refuses `http`. An issuer of this machine may have it, as for its keys. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return isSafeIssuerUrl(url) && url.search + url.hash === ''
}

export const federatedCredentialProperties = shownProperties<FederatedIdentityCredential, unknown>(
  properties,
)

export const federatedCredentialForms = formsOf(properties)
