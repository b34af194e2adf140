/** What a person can do about the refusals of Microsoft Entra ID that clients meet most. */
export const aadstsRemedies: Readonly<Record<number, string>> = {
  7000215:
    "Give the secret's value, not its id; and check that it is a secret of this client. A new secret may need some seconds until it is known everywhere.",
  7000222: 'The client secret has ended: create a new one for this client, and give that one.',
  7000216: 'Give a client secret, a certificate or a federated assertion.',
  700016: 'Check the client ID and the tenant: the client is not registered in this tenant.',
  7000112: 'The client is disabled: have an administrator enable its service principal.',
  700027: 'Register the certificate for this client, or give the one that is registered.',
  700024: 'Set the clock of this machine: the assertion was outside its time range.',
  70021: 'Register a federated identity credential with exactly this issuer, subject and audience.',
  500011:
    'Check the scope: the API is not registered in this tenant, or has no service principal there.',
  501051:
    'Grant this client a role of the API: add it to the application permissions that the client requests, then grant admin consent.',
  1002012: 'The scope must be the identifier URI of the API followed by /.default.',
  70011: 'The scope must be the identifier URI of the API followed by /.default.',
  90002: 'Check the tenant ID and the URL of the identity provider: the tenant is not known there.',
  900023: 'The tenant must be a GUID or a domain name.',
}
