import java.io.FileReader;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes a record to a topic, and reads it. The argument is a file with the settings of the client. */
public class Orders {
  public static void main(String[] args) throws Exception {
    var settings = new Properties();
    settings.load(new FileReader(args[0]));
    var text = new StringSerializer();
    try (var producer = new KafkaProducer<>(settings, text, text);
        var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      var written = producer.send(new ProducerRecord<>("orders", "tea")).get();
      consumer.assign(List.of(new TopicPartition("orders", written.partition())));
      consumer.seek(new TopicPartition("orders", written.partition()), written.offset());
      consumer.poll(Duration.ofSeconds(30)).forEach(record -> System.out.println("read " + record.value()));
    } catch (Exception error) {
      Throwable cause = error;
      while (cause.getCause() != null) cause = cause.getCause();
      var code = Pattern.compile("AADSTS\\d+: [^.]+").matcher(cause.getMessage());
      System.out.println(cause.getClass().getSimpleName() + " " + (code.find() ? code.group() : cause.getMessage()));
    }
    System.exit(0);
  }
}
