import { join } from 'node:path'
import type { Settings, SharedSystem } from '../shared-system.ts'
import { makeClientCertificate } from './client-certificate.ts'
import { Registrar } from './registrar.ts'

/** The failures that the pages describe, each with its error code and the wrong setting. */
export const refusals = [
  { what: 'the secret is wrong', code: 'AADSTS7000215', concerns: 'CLIENT_SECRET' },
  { what: 'the secret has expired', code: 'AADSTS7000222', concerns: 'CLIENT_SECRET' },
  {
    what: 'the certificate is not registered',
    code: 'AADSTS700027',
    concerns: 'CLIENT_CERTIFICATE_FILE',
  },
  { what: 'no consent was given', code: '403', concerns: 'CLIENT_ID' },
  { what: 'the API requires an assignment', code: 'AADSTS501051', concerns: 'API_APPLICATION_ID' },
] as const

export type Refusal = (typeof refusals)[number]

/** The settings of the client in each situation. */
export type Situations = {
  readonly good: Settings
  readonly wrong: Readonly<Record<Refusal['what'], Settings>>
  /** Secrets that must not appear in anything that a program prints. */
  readonly secrets: readonly string[]
}

/** Registers the applications of all situations in a running system. */
export async function prepareSituations(system: SharedSystem): Promise<Situations> {
  const registrar = await Registrar.from(system.administratorSettings)
  const { CLIENT_ID = '', CLIENT_SECRET = '' } = system.clientSettings
  const [certificate, unregisteredCertificate, other, requiringApi, expiredSecret] =
    await Promise.all([
      makeClientCertificate(join(system.folder, 'client.pem')),
      makeClientCertificate(join(system.folder, 'unregistered.pem')),
      registrar.registerWithoutConsent(CLIENT_ID),
      registrar.registerApiRequiringAssignment(),
      registrar.addSecret(CLIENT_ID, {
        startDateTime: '2024-01-01T00:00:00Z',
        endDateTime: '2025-01-01T00:00:00Z',
      }),
    ])
  await registrar.setCertificate(CLIENT_ID, certificate.base64)
  await registrar.setCertificate(other.applicationId, certificate.base64)

  const good = { ...system.clientSettings, CLIENT_CERTIFICATE_FILE: certificate.file }
  const wrongSecret = 'not-the-secret-of-this-client'
  return {
    good,
    wrong: {
      'the secret is wrong': { ...good, CLIENT_SECRET: wrongSecret },
      'the secret has expired': { ...good, CLIENT_SECRET: expiredSecret },
      'the certificate is not registered': {
        ...good,
        CLIENT_CERTIFICATE_FILE: unregisteredCertificate.file,
      },
      'no consent was given': {
        ...good,
        CLIENT_ID: other.applicationId,
        CLIENT_SECRET: other.secret,
      },
      'the API requires an assignment': { ...good, API_APPLICATION_ID: requiringApi },
    },
    secrets: [CLIENT_SECRET, wrongSecret, expiredSecret, other.secret],
  }
}
