import { readFile } from 'node:fs/promises'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The text of a file, without the byte order mark that editors of Windows write.
 *
 * @param path of the file, for the message
 * @throws {Error} when the bytes are not UTF-8, such as the UTF-16 of Windows PowerShell
 * @example
 * const text = textOfFile(new TextEncoder().encode('\ufeffAUTH_URL=x'), 'client.env')
 */
export function textOfFile(bytes: Uint8Array, path: string): string {
  const [first = 1, second = 1] = bytes
  // Without a mark, UTF-16 is valid UTF-8 with a NUL beside each ASCII character.
  if ((first ^ second) === 1 && first >= 0xfe)
    throw new Error(`the file ${path} is UTF-16, not UTF-8`)
  if (first !== 0 && second === 0) throw new Error(`the file ${path} is UTF-16, not UTF-8`)
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new Error(`the file ${path} is not UTF-8`, { cause })
  }
}

/** Reads a file as text. */
export const readTextFile = async (path: string): Promise<string> =>
  textOfFile(await readFile(path), path)

/** What a certificate file has in place of PEM that can be used, and the remedy. */
const otherFormats: readonly (readonly [RegExp, string])[] = [
  // The version of a PFX is 3 (RFC 7292 section 4), and that of a private key is 0 or 1.
  [/^30(..){1,5}020103/, 'is PKCS #12 (PFX); convert it with "openssl pkcs12 -nodes -in FILE"'],
  [/^30(..){1,5}02010[01]/, 'is DER; convert it with "openssl pkey -inform DER -in FILE"'],
  [/^308[0-4]/, 'is DER; convert it with "openssl x509 -inform DER -in FILE"'],
  [/-----\\n/, 'has the two characters \\n where line breaks must be'],
  [
    /^-----BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED/m,
    'has an encrypted private key; decrypt it with "openssl pkey -in FILE"',
  ],
  [
    /^-----BEGIN OPENSSH PRIVATE KEY/m,
    'has a private key of OpenSSH; convert a copy with "ssh-keygen -p -m PKCS8 -f FILE"',
  ],
  [
    /^-----BEGIN (NEW )?CERTIFICATE REQUEST/m,
    'has a certificate request; use the certificate that the authority issued for it',
  ],
]

/**
 * Reads a file of PEM blocks.
 *
 * @throws {Error} when it has another format
 */
export async function readPemFile(path: string): Promise<string> {
  const bytes = await readFile(path)
  const start = `${bytes.toString('hex', 0, 16)}\n${bytes.toString('latin1')}`
  const found = otherFormats.find(([pattern]) => pattern.test(start))
  if (found) throw new Error(`the file ${path} ${found[1].replace('FILE', () => path)}`)
  return textOfFile(bytes, path)
}
