import { z } from 'zod'
import { bodyCollection, text } from '../../../directory/properties/forms.ts'
import { complex, note, redirectUris, tags, webUrl } from '../description-body.ts'

/**
 * The descriptive properties of a service principal with the values that a new one has. They are kept
 * and shown, and have no effect.
 */
export const principalDefaults = {
  alternativeNames: [],
  description: null,
  homepage: null,
  loginUrl: null,
  logoutUrl: null,
  notes: null,
  notificationEmailAddresses: [],
  preferredSingleSignOnMode: null,
  preferredTokenSigningKeyThumbprint: null,
  replyUrls: [],
  samlSingleSignOnSettings: null,
  tags: [],
} as const

/** Properties of a service principal in Microsoft Graph that always have this value here. */
export const fixedPrincipalProperties = {
  addIns: [],
  applicationTemplateId: null,
  disabledByMicrosoftStatus: null,
  resourceSpecificApplicationPermissions: [],
  samlMetadataUrl: null,
  tokenEncryptionKeyId: null,
  verifiedPublisher: { displayName: null, verifiedPublisherId: null, addedDateTime: null },
} as const

const maxNames = 100
const maxAddresses = 10

/** The form of each descriptive property in a body. */
export const principalShape = {
  alternativeNames: bodyCollection(text(), maxNames).nullable(),
  description: note.nullable(),
  homepage: webUrl.nullable(),
  loginUrl: webUrl.nullable(),
  logoutUrl: webUrl.nullable(),
  notes: note.nullable(),
  notificationEmailAddresses: bodyCollection(text(), maxAddresses).nullable(),
  preferredSingleSignOnMode: z.enum(['password', 'saml', 'notSupported', 'oidc']).nullable(),
  preferredTokenSigningKeyThumbprint: text().nullable(),
  replyUrls: redirectUris.nullable(),
  samlSingleSignOnSettings: complex({ relayState: text(2048).nullable() }),
  tags: tags.nullable(),
}
