/** A chart value that an operator may get wrong, and a part of the message. */
export type BadValue = {
  readonly problem: string
  /** Arguments of `--set`, on top of the minimal example. */
  readonly set: readonly string[]
  readonly message: string
  /** Whether values.schema.json finds it; otherwise a template does. */
  readonly bySchema: boolean
}

export const badValues: readonly BadValue[] = [
  {
    problem: 'a value of the wrong type',
    set: ['identityProvider.replicas=two'],
    message: "at '/identityProvider/replicas': got string, want integer",
    bySchema: true,
  },
  {
    problem: 'an unknown value',
    set: ['identityProvider.replica=3'],
    message: "additional properties 'replica' not allowed",
    bySchema: true,
  },
  {
    problem: 'an origin with a slash at its end',
    set: ['identityProvider.authUrl=https://login.example.com/'],
    message: "at '/identityProvider/authUrl'",
    bySchema: true,
  },
  {
    problem: 'a secret among the settings',
    set: ['identityProvider.settings.DATABASE_URL=postgres://example'],
    message: "invalid propertyName 'DATABASE_URL'",
    bySchema: true,
  },
  {
    problem: 'a boolean among the settings',
    set: ['identityProvider.settings.PORTAL=true'],
    message: "at '/identityProvider/settings/PORTAL'",
    bySchema: true,
  },
  {
    problem: 'a tenant that is no GUID',
    set: ['api.tenantId=contoso'],
    message: "at '/api/tenantId'",
    bySchema: true,
  },
  {
    problem: 'a collector without a scheme',
    set: ['tracing.endpoint=collector:4318'],
    message: "at '/tracing/endpoint'",
    bySchema: true,
  },
  {
    problem: 'no database',
    set: ['identityProvider.database.secretName='],
    message:
      'identityProvider.database.secretName is missing. Name an existing Secret with the address of PostgreSQL.',
    bySchema: false,
  },
  {
    problem: 'no key-encryption key',
    set: ['identityProvider.keyEncryptionKey.secretName='],
    message: 'identityProvider.keyEncryptionKey.secretName is missing.',
    bySchema: false,
  },
  {
    problem: 'no origin',
    set: ['identityProvider.authUrl='],
    message: 'identityProvider.authUrl is missing. Set the public origin',
    bySchema: false,
  },
  {
    problem: 'an API without its registration',
    set: ['api.enabled=true'],
    message: "api.applicationId is missing. Set the application ID of the API's registration.",
    bySchema: false,
  },
  {
    problem: 'an Ingress without a host',
    set: ['identityProvider.ingress.host='],
    message: 'identityProvider.ingress.host is missing. Set the public host name.',
    bySchema: false,
  },
]
