"""Writes a record to a topic by librdkafka, and reads it."""

import re
from os import environ

from confluent_kafka import Consumer, Producer, TopicPartition, libversion

errors = []
settings = {
    "bootstrap.servers": f"127.0.0.1:{environ['BROKER_PORT']}",
    "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanisms": "OAUTHBEARER",
    "sasl.oauthbearer.method": "oidc",
    "sasl.oauthbearer.token.endpoint.url": environ["TOKEN_URL"],
    "sasl.oauthbearer.client.id": environ["CLIENT_ID"],
    "sasl.oauthbearer.client.secret": environ["CLIENT_SECRET"],
    "sasl.oauthbearer.scope": environ["SCOPE"],
    "https.ca.location": environ["NODE_EXTRA_CA_CERTS"],
    "error_cb": errors.append,
}
written = []
producer = Producer(settings)
producer.produce("orders", b"coffee", on_delivery=lambda error, message: (errors if error else written).append(error or message))
while not errors and not written:
    producer.poll(1)
if errors:
    text = errors[0].str()
    print(errors[0].name(), (re.search(r"AADSTS\d+: [^.]+|invalid_token", text) or [text])[0])
    producer.purge()
else:
    consumer = Consumer({**settings, "group.id": "readers"})
    consumer.assign([TopicPartition("orders", written[0].partition(), written[0].offset())])
    print("read", consumer.poll(30).value().decode())
    consumer.close()
