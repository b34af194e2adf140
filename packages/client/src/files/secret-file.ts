import { readFile } from 'node:fs/promises'
import { type Credential, secretAuthentication } from '../credentials/credential.ts'

/**
 * A client secret in a file, read before every token request: when the file changes, the new secret
 * is used, and one that is refused is not the last word if the file holds another one by then.
 *
 * @param path Path of the file; it holds the secret's value, and a line break at its end is ignored.
 * @throws {TypeError} when the path is empty. A file that cannot be read is told by `token()`.
 * @example
 * const credential = clientSecretFile('/var/run/secrets/greeting/client-secret')
 */
export function clientSecretFile(path: string): Credential {
  if (typeof path !== 'string' || path === '') throw new TypeError('the path must not be empty')
  return {
    kind: 'secret',
    identity: () => `file:${path}`,
    authentications: async () => {
      const secret = (await readFile(path, 'utf8')).replace(/\r?\n$/, '')
      if (secret === '') throw new Error(`the file ${path} is empty`)
      return [secretAuthentication(secret)]
    },
  }
}
