// Writes a blob and reads it. The arguments are the class of the credential, and another scope than the SDK's.
const identity = require('@azure/identity')
const { AnonymousCredential, BlobServiceClient } = require('@azure/storage-blob')

const [name, scope] = process.argv.slice(2)

async function main() {
  const credential =
    name === 'none'
      ? new AnonymousCredential()
      : new identity[name]({ disableInstanceDiscovery: true })
  const used = scope === undefined ? credential : { getToken: () => credential.getToken(scope) }
  const service = new BlobServiceClient(process.env.STORAGE, used)
  const container = service.getContainerClient(`orders-${Date.now()}`)
  const { _response: created } = await container.create()
  const blob = container.getBlockBlobClient('tea')
  await blob.upload(name, name.length)
  const text = await blob.downloadToBuffer()
  console.log(`${created.status} ${text}`)
}

main().catch(({ name, message, statusCode = '', details }) => {
  const [code] = /AADSTS\d+: [^.]+/.exec(message) ?? []
  console.log(
    name,
    statusCode,
    code ?? details?.authenticationErrorDetail ?? details?.code ?? message,
  )
})
