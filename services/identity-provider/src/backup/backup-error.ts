/** The reasons why a backup or a restore is not possible. */
export type BackupErrorCode =
  | 'backup_exists'
  | 'backup_missing'
  | 'backup_damaged'
  | 'backup_newer'
  | 'backup_older'
  | 'store_missing'
  | 'store_newer'
  | 'store_older'
  | 'store_not_empty'
  | 'key_wrong'
  | 'passphrase_wrong'
  | 'tenant_unknown'
  | 'tenant_conflict'

/**
 * The error when a backup or a restore is not possible. The message is a sentence for the operator.
 *
 * It is a `TypeError`, because any other error within a transaction of PostgreSQL is a fault of the network.
 */
export class BackupError extends TypeError {
  override readonly name = 'BackupError'
  readonly code: BackupErrorCode

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
