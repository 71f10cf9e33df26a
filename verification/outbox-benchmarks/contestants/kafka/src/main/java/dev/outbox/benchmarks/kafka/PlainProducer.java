package dev.outbox.benchmarks.kafka;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Floor of forwarding: a producer that has all records in memory before the start, sends them in batches with {@code acks=all}, and
 * waits for the acknowledgements of each batch. It neither reads nor writes the database meanwhile.
 */
public final class PlainProducer extends Contestant {

    static final String TOPIC = "events";

    private static final int BATCH = 500;

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS event (
                id      bigserial NOT NULL PRIMARY KEY,
                account integer   NOT NULL,
                seq     bigint    NOT NULL,
                payload text      NOT NULL
            )
            """;

    private static final String INSERT = """
            INSERT INTO event (account, seq, payload)
            VALUES (?, ?, ?)
            """;

    private static final String READ = """
            SELECT account, seq, payload
              FROM event
             ORDER BY account, seq
            """;

    private final JdbcTemplate jdbc;
    private final KafkaProducer<String, String> producer;
    private final List<ProducerRecord<String, String>> records;

    /** Creates the table, and reads the records if it delivers. */
    public PlainProducer(Setup setup) {
        super(setup, Store.class, Map.of());
        this.jdbc = bean(JdbcTemplate.class);
        jdbc.execute(CREATE);
        this.records = setup.role().delivers() ? read() : List.of();
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

    private List<ProducerRecord<String, String>> read() {
        return jdbc.query(READ, (row, number) -> record(row.getString(1), row.getString(2), row.getString(3)));
    }

    /** Returns a record with the headers of a CloudEvent, as this library sends it. */
    private static ProducerRecord<String, String> record(String account, String seq, String payload) {
        ProducerRecord<String, String> record = new ProducerRecord<>(TOPIC, account, payload);
        header(record, "ce_specversion", "1.0");
        header(record, "ce_id", UUID.randomUUID().toString());
        header(record, "ce_source", "/benchmark");
        header(record, "ce_type", "AccountChanged");
        header(record, "ce_time", "2026-01-01T00:00:00.000000Z");
        header(record, "ce_subject", account);
        header(record, "ce_aggregatetype", "account");
        header(record, "ce_sequence", seq);
        header(record, "ce_schemaversion", "1");
        header(record, "content-type", "application/json");
        return record;
    }

    private static void header(ProducerRecord<String, String> record, String name, String value) {
        record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void publish(AccountChanged event) {
        publishAll(List.of(event));
    }

    @Override
    public void publishAll(List<AccountChanged> events) {
        jdbc.batchUpdate(INSERT, events, events.size(), (insert, event) -> {
            insert.setInt(1, event.key());
            insert.setLong(2, event.seq());
            insert.setString(3, json(event));
        });
    }

    private static String json(AccountChanged event) {
        return "{\"key\": %d, \"seq\": %d, \"note\": \"%s\", \"number\": %d}"
                .formatted(event.key(), event.seq(), event.note(), event.number());
    }

    @Override
    public void start() {
        new Thread(this::send, "plain-producer").start();
    }

    private void send() {
        try {
            for (int from = 0; from < records.size(); from += BATCH) {
                List<Future<RecordMetadata>> sent = new ArrayList<>(BATCH);
                records.subList(from, Math.min(records.size(), from + BATCH))
                        .forEach((record) -> sent.add(producer.send(record)));
                for (Future<RecordMetadata> one : sent) {
                    one.get();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String pending() {
        return "SELECT 0";
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
