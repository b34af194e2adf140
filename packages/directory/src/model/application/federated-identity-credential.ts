import { complexType, type Property, shownProperties } from '../properties/property.ts'

/**
 * Trusts an external issuer: a token with this issuer and audience, and with this subject or with claims
 * that match the expression, authenticates the application.
 */
export type FederatedIdentityCredential = {
  /** GUID, lower case. */
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

const properties: Readonly<Record<string, Property<FederatedIdentityCredential, unknown>>> = {
  id: {},
  name: { filter: 'value' },
  issuer: { filter: 'value' },
  subject: { filter: 'value' },
  description: {},
  audiences: { type: 'Collection(Edm.String)' },
  // Microsoft Graph shows it in its beta version only. It is absent when there is a subject.
  claimsMatchingExpression: {
    show: ({ claimsMatchingExpression: value }) =>
      value === undefined ? undefined : { value, languageVersion: 1 },
    type: complexType('federatedIdentityExpression', {
      languageVersion: { type: 'Edm.Int32' },
      value: {},
    }),
  },
}

/** The properties of a federated identity credential in answers. */
export const federatedCredentialProperties = shownProperties(properties)
