import { constants, sign } from 'node:crypto'
import type { ForgeKey } from '../lab-host.ts'
import { encoded } from './forge.ts'
import type { ForgeryRow } from './forgery.ts'
import { ecdsa, hmac, publicDer, publicJwk, publicPem, withMember } from './forgery.ts'

const partsOf = (token: string) => token.split('.') as [string, string, string]
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The same bytes with other bits after them, which a strict decoder refuses. */
const withTrailingBits = (text: string) =>
  `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.at(-1) ?? '') ^ 1]}`

const algorithms = 'An API accepts only the algorithms that it expects.'
const noKeyFromToken = 'A key comes from the configured issuer, never from the token.'

const publicKeyAsSecret = (secret: (published: ForgeKey) => string | Buffer): ForgeryRow => ({
  reason: 'A public key must not serve as a secret for HMAC.',
  section: 'RFC 8725 section 2.1',
  make: ({ published, withAlgorithm }) => withAlgorithm({ alg: 'HS256' }, hmac(secret(published))),
})

/** Forgeries of the signature, the algorithm and the key. */
export const signatureForgeries = {
  algorithm_none: {
    reason: 'A token without a signature proves nothing.',
    section: 'RFC 8725 section 2.1',
    make: ({ header, claims }) => `${encoded({ ...header, alg: 'none' })}.${encoded(claims)}.`,
  },
  algorithm_none_in_mixed_case: {
    reason: 'A token without a signature proves nothing.',
    section: 'RFC 8725 section 2.1',
    make: ({ header, claims }) => `${encoded({ ...header, alg: 'nOnE' })}.${encoded(claims)}.`,
  },
  algorithm_none_with_a_signature: {
    reason: 'The header says that the token has no signature.',
    section: 'RFC 8725 section 2.1',
    make: ({ withHeader }) => withHeader({ alg: 'none' }),
  },
  algorithm_missing: {
    reason: 'The member `alg` is required.',
    section: 'RFC 7515 section 4.1.1',
    make: ({ withHeader }) => withHeader({ alg: undefined }),
  },
  algorithm_duplicate: {
    reason: 'A name must occur once in a header, because parsers differ about which one counts.',
    section: 'RFC 7515 section 4',
    make: ({ header, claims, withParts }) => withParts(withMember(header, '"alg":"none"'), claims),
  },
  algorithm_rs512: {
    reason: algorithms,
    section: 'RFC 8725 section 3.1',
    make: ({ published, withAlgorithm }) =>
      withAlgorithm({ alg: 'RS512' }, (content) =>
        sign('sha512', Buffer.from(content), published.privateKey),
      ),
  },
  algorithm_ps256: {
    reason: algorithms,
    section: 'RFC 8725 section 3.1',
    make: ({ published: { privateKey: key }, withAlgorithm }) =>
      withAlgorithm({ alg: 'PS256' }, (content) => {
        const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
        return sign('sha256', Buffer.from(content), pss)
      }),
  },
  algorithm_es256: {
    reason: algorithms,
    section: 'RFC 8725 section 3.1',
    make: ({ withAlgorithm }) => withAlgorithm({ alg: 'ES256' }, ecdsa),
  },
  hmac_with_public_key_pem: publicKeyAsSecret(publicPem),
  hmac_with_public_key_der: publicKeyAsSecret(publicDer),
  hmac_with_public_key_json: publicKeyAsSecret((published) => JSON.stringify(publicJwk(published))),
  hmac_with_an_empty_key: {
    reason: 'An empty key is no secret.',
    section: 'RFC 7518 section 3.2',
    make: ({ withAlgorithm }) => withAlgorithm({ alg: 'HS256' }, hmac('')),
  },
  signature_missing: {
    reason: 'The compact form has three parts.',
    section: 'RFC 7515 section 7.1',
    make: ({ token }) => partsOf(token).slice(0, 2).join('.'),
  },
  signature_empty: {
    reason: 'The signature does not verify.',
    section: 'RFC 7515 section 5.2',
    make: ({ token }) => `${partsOf(token).slice(0, 2).join('.')}.`,
  },
  signature_changed: {
    reason: 'The signature does not verify.',
    section: 'RFC 7515 section 5.2',
    make: ({ token }) => {
      const [header, claims, signature] = partsOf(token)
      const bytes = Buffer.from(signature, 'base64url')
      bytes[0] = (bytes[0] ?? 0) ^ 1
      return `${header}.${claims}.${bytes.toString('base64url')}`
    },
  },
  signature_of_another_token: {
    reason: 'The signature belongs to other claims.',
    section: 'RFC 7515 section 5.2',
    make: ({ token, withClaims }) => {
      const [header, claims] = partsOf(token)
      return `${header}.${claims}.${partsOf(withClaims({ uti: 'another' }))[2]}`
    },
  },
  claims_changed: {
    reason: 'The claims are not those that were signed.',
    section: 'RFC 7515 section 5.2',
    make: ({ token, claims, role }) => {
      const [header, , signature] = partsOf(token)
      return `${header}.${encoded({ ...claims, roles: [role, 'Admin'] })}.${signature}`
    },
  },
  header_changed: {
    reason: 'The header is not the one that was signed.',
    section: 'RFC 7515 section 5.2',
    make: ({ token, header }) => {
      const [, claims, signature] = partsOf(token)
      return `${encoded({ ...header, extra: true })}.${claims}.${signature}`
    },
  },
  signature_padded: {
    reason: 'base64url in a token has no padding.',
    section: 'RFC 7515 section 2',
    make: ({ token }) => `${token}==`,
  },
  signature_in_other_alphabet: {
    reason: 'The parts are in base64url, not in base64.',
    section: 'RFC 7515 section 2',
    make: ({ token }) => {
      const [header, claims, signature] = partsOf(token)
      const base64 = Buffer.from(signature, 'base64url').toString('base64').replaceAll('=', '')
      return `${header}.${claims}.${base64}`
    },
  },
  signature_not_canonical: {
    reason: 'Other text for the same bytes is a second form of one token.',
    section: 'RFC 4648 section 3.5',
    make: ({ token }) => withTrailingBits(token),
  },
  four_parts: {
    reason: 'The compact form has three parts.',
    section: 'RFC 7515 section 7.1',
    make: ({ token }) => `${token}.${partsOf(token)[2]}`,
  },
  json_serialization: {
    reason: 'A bearer token in JSON is no compact token.',
    section: 'RFC 7519 section 1',
    make: ({ token }) => {
      const [protectedHeader, payload, signature] = partsOf(token)
      return JSON.stringify({ payload, protected: protectedHeader, signature })
    },
  },
  space_within: {
    reason: 'A bearer token contains no space.',
    section: 'RFC 6750 section 2.1',
    make: ({ token }) => token.replace('.', '. '),
  },
  encrypted: {
    reason: 'The API has no key for an encrypted token.',
    section: 'RFC 7516 section 7.1',
    make: ({ header, claims, token }) =>
      `${encoded({ ...header, alg: 'RSA-OAEP', enc: 'A128GCM' })}.${encoded('key')}.${encoded('nonce')}.${encoded(claims)}.${partsOf(token)[2]}`,
  },
  key_unknown: {
    reason: 'The issuer does not publish the key.',
    section: 'RFC 7515 section 6',
    make: ({ header, attacker, byAttacker }) =>
      byAttacker({ ...header, kid: attacker.kid, x5t: attacker.kid }),
  },
  key_id_of_another_key: {
    reason: 'The published key did not sign the token.',
    section: 'RFC 7515 section 5.2',
    make: ({ header, byAttacker }) => byAttacker(header),
  },
  key_id_missing: {
    reason: 'No published key signed the token.',
    section: 'RFC 7515 section 5.2',
    make: ({ header, byAttacker }) => byAttacker({ ...header, kid: undefined, x5t: undefined }),
  },
  key_id_duplicate: {
    reason: 'A name must occur once in a header, because parsers differ about which one counts.',
    section: 'RFC 7515 section 4',
    make: ({ header, attacker, claims, withParts }) =>
      withParts(withMember(header, `"kid":"${attacker.kid}"`), claims),
  },
  key_id_not_text: {
    reason: 'The key ID is a text.',
    section: 'RFC 7515 section 4.1.4',
    make: ({ withHeader }) => withHeader({ kid: 1, x5t: undefined }),
  },
  key_id_is_a_path: {
    reason: 'A key ID is only compared, never a path or a query.',
    section: 'RFC 8725 section 3.10',
    make: ({ withAlgorithm }) =>
      withAlgorithm({ alg: 'HS256', kid: '../../../../dev/null', x5t: undefined }, hmac('')),
  },
  key_in_header: {
    reason: noKeyFromToken,
    section: 'RFC 8725 section 3.10',
    make: ({ header, attacker, byAttacker }) =>
      byAttacker({ ...header, kid: attacker.kid, x5t: undefined, jwk: publicJwk(attacker) }),
  },
  certificate_in_header: {
    reason: noKeyFromToken,
    section: 'RFC 8725 section 3.10',
    make: ({ header, attacker, byAttacker }) =>
      byAttacker({ ...header, kid: attacker.kid, x5t: attacker.kid, x5c: [attacker.certificate] }),
  },
  key_set_url_in_header: {
    reason: noKeyFromToken,
    section: 'RFC 8725 section 3.10',
    make: ({ header, attacker, byAttacker }) =>
      byAttacker({ ...header, kid: attacker.kid, jku: 'https://attacker.invalid/keys' }),
  },
  certificate_url_in_header: {
    reason: noKeyFromToken,
    section: 'RFC 8725 section 3.10',
    make: ({ header, attacker, byAttacker }) =>
      byAttacker({ ...header, kid: attacker.kid, x5u: 'https://attacker.invalid/certificate' }),
  },
  critical_unknown: {
    reason: 'An extension in `crit` that the API does not know forbids the token.',
    section: 'RFC 7515 section 4.1.11',
    make: ({ withHeader }) => withHeader({ crit: ['greeting'], greeting: true }),
  },
  critical_empty: {
    reason: 'The list `crit` is not empty.',
    section: 'RFC 7515 section 4.1.11',
    make: ({ withHeader }) => withHeader({ crit: [] }),
  },
  payload_not_encoded: {
    reason: 'A JWT has an encoded payload.',
    section: 'RFC 7797 section 7',
    make: ({ withHeader }) => withHeader({ crit: ['b64'], b64: false }),
  },
} as const satisfies Readonly<Record<string, ForgeryRow>>
