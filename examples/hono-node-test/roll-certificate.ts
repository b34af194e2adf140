// Run it on a schedule, such as once a day: `node --env-file=client.env roll-certificate.ts`.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type RollCertificateOptions, rollCertificate } from '@greeting/client/files'

const [newKey, period] = ['rsa:3072', '90']

/** Creates a key and a certificate for 90 days. A program may use a certificate authority instead. */
export async function createCertificate(): Promise<string> {
  const request = ['req', '-x509', '-nodes', '-newkey', newKey, '-days', period, '-subj', '/CN=job']
  const { stdout } = await promisify(execFile)('openssl', [...request, '-keyout', '-', '-out', '-'])
  return stdout
}

/** Rolls the certificate of a job, which needs no Microsoft Graph permission. */
export const rollOwn = (
  {
    AUTHORITY = '',
    CLIENT_ID = '',
    CLIENT_OBJECT_ID = '',
    CLIENT_CERTIFICATE_FILE = '',
    GRAPH_URL,
    RENEW_DAYS = '30',
  }: NodeJS.ProcessEnv,
  create: RollCertificateOptions['createCertificate'] = createCertificate,
): Promise<boolean> =>
  rollCertificate({
    authority: AUTHORITY,
    clientId: CLIENT_ID,
    objectId: CLIENT_OBJECT_ID,
    certificateFile: CLIENT_CERTIFICATE_FILE,
    createCertificate: create,
    renewDays: Number(RENEW_DAYS),
    ...(GRAPH_URL && { graphUrl: GRAPH_URL }),
  })

if (import.meta.main) await rollOwn(process.env)
