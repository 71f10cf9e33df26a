package dev.outbox.benchmarks.kafka;

import dev.outbox.benchmarks.baseline.PlainLoop;
import dev.outbox.benchmarks.worker.Setup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Producer with {@code acks=all} that waits for each batch. */
public final class PlainProducer extends PlainLoop {

    static final String TOPIC = "events";

    private final KafkaProducer<String, String> producer;
    private final List<ProducerRecord<String, String>> records;

    /** Reads the records. */
    public PlainProducer(Setup setup) {
        super(setup, Store.class, Map.of());
        this.records = messages(PlainProducer::record);
        this.producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        setup.role().properties().getOrDefault("spring.kafka.bootstrap-servers", ""),
                        ProducerConfig.ACKS_CONFIG,
                        "all",
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        true,
                        ProducerConfig.LINGER_MS_CONFIG,
                        0),
                new StringSerializer(),
                new StringSerializer());
    }

    private static ProducerRecord<String, String> record(Stored event) {
        ProducerRecord<String, String> record = new ProducerRecord<>(TOPIC, event.account(), event.payload());
        event.headers().forEach((name, value) -> header(record, name, value));
        header(record, "content-type", "application/json");
        return record;
    }

    private static void header(ProducerRecord<String, String> record, String name, String value) {
        record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    protected void send() throws InterruptedException, ExecutionException {
        for (int from = 0; from < records.size(); from += BATCH) {
            List<Future<RecordMetadata>> sent = new ArrayList<>(BATCH);
            records.subList(from, Math.min(records.size(), from + BATCH))
                    .forEach((record) -> sent.add(producer.send(record)));
            for (Future<RecordMetadata> one : sent) {
                one.get();
            }
        }
    }

    @Override
    public void close() {
        producer.close();
        super.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class
    })
    static class Store {}
}
