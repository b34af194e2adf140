import { listenSecurely, type SecureListener, type TlsIdentity } from '@greeting/http-service'
import type { Logger } from 'pino'
import type { Settings } from './settings.ts'
import { readTlsFiles } from './tls-files.ts'

/** How often the files are read again: a renewed certificate is in use after an hour at most. */
const rereadMs = 3_600_000

/** An HTTPS listener whose certificate follows its files. */
export type ReloadingListener = SecureListener & {
  /** Reads the files again. Keeps the certificate in use when they are unusable. */
  readonly reload: () => Promise<void>
}

/**
 * Opens the HTTPS listener of the settings; undefined when HTTPS is off.
 *
 * @throws {TlsFilesError} tls_files_unusable when certificate or key cannot be used
 * @throws {Error} with Node's `code`, such as `EADDRINUSE`
 */
export async function openSecureListener(
  settings: Settings,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<ReloadingListener | undefined> {
  const { HOST, HTTPS_PORT, HTTPS_CERTIFICATE_FILE, HTTPS_KEY_FILE, CERTIFICATE_BINDING } = settings
  if (HTTPS_PORT === null || !HTTPS_CERTIFICATE_FILE || !HTTPS_KEY_FILE) return undefined
  const read = () => readTlsFiles(HTTPS_CERTIFICATE_FILE, HTTPS_KEY_FILE)
  let identity: TlsIdentity = await read()
  const listener = await listenSecurely(
    HOST,
    HTTPS_PORT,
    identity,
    { keepAliveTimeout: settings.KEEP_ALIVE_SECONDS * 1000 },
    { requestsClientCertificate: CERTIFICATE_BINDING !== 'refused' },
  )
  const reload = async () => {
    try {
      const next = await read()
      if (next.certificate === identity.certificate) return
      identity = next
      listener.setIdentity(next)
      log.info('the new server certificate is in use')
    } catch (err) {
      log.warn({ err }, 'the server certificate could not be read again')
    }
  }
  const timer = setInterval(reload, rereadMs)
  timer.unref()
  return {
    ...listener,
    reload,
    stop: async (options) => {
      clearInterval(timer)
      await listener.stop(options)
    },
  }
}
