/**
 * A modulus of 2048 bits whose two primes have the structure of CVE-2017-15361: each is
 * k * M + 65537^a mod M, with M the product of the first 126 primes.
 */
export const rocaModulus = BigInt(
  '0x' +
    '96d43be30ee86774b2825955e7e72f2ea6b81990c1821b55d3d1f4b6eb0c40ea006a6f3a1af7023a' +
    '25b32aaef4dcd735691edff97c3a9872686e7ed96f43b0595462a1e4bd40583aebe8ddfc6e701443' +
    '5e33da047ed424d6cab47e1cd8c55a5b464d5f8d1ae7ed2bb6ca87448583c29ef588f59e11ce0f2f' +
    '61883daa5ad5747abab3a6c25848f1af912ffd907b6a79dd00241826c5c9a7151ae9dd0a0119ea83' +
    '7916d03273f463d8f76bb52ada25613a7bb308b45dac4f975a655fedc185d5cf7b5858f3a7790a32' +
    '0a85f6c8538461a66dd52a9cb19810d0a1ff5b6845a406bc733dc279f37da60da694bc26a98d5c70' +
    'dc12ca71e578a02b6bbe6b19aa29aba5',
)
