package dev.outbox.modulith.conversion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.testing.OpenTransaction;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.event.TransactionalEventListener;

/** Publications that Spring Modulith has stored become events, once. */
@ExtendWith(OutputCaptureExtension.class)
class PublicationConversionTest {

    private static final OffsetDateTime FIRST = OffsetDateTime.parse("2026-11-01T10:00:00Z");
    private static final String EXTERNALIZER =
            "org.springframework.modulith.events.support.EventExternalizerModuleListener.externalize(java.lang.Object)";

    private final AtomicInteger rows = new AtomicInteger();
    private TestDatabase database;
    private JdbcClient sql;

    @Externalized("orders::#{#this.customer()}")
    record OrderPlaced(String customer) {}

    @Outboxed(aggregateType = "customer", aggregateId = "id")
    record CustomerMoved(String id) {}

    @Outboxed(aggregateType = "stock", aggregateId = "id", sequence = "version")
    record StockCounted(String id, long version) {}

    @Externalized("archive::1")
    record OrderArchived(int number) {}

    @Externalized("lost::#{#this.number().missing()}")
    record OrderLost(int number) {}

    @Outboxed(aggregateType = "order", aggregateId = "id")
    interface Order {}

    @Outboxed(aggregateType = "parcel", aggregateId = "id")
    interface Parcel {}

    record OrderPacked(String id) implements Order, Parcel {}

    record OrderSeen(int number) {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {

        @Bean
        Listeners listeners() {
            return new Listeners();
        }
    }

    static class Listeners {

        @OutboxHandler(
                id = "orders",
                eventTypes = {"OrderPlaced", "CustomerMoved", "StockCounted"})
        void handle(EventEnvelope event) {}

        @TransactionalEventListener(id = "kept")
        void on(OrderPlaced event) {}
    }

    @BeforeEach
    void createTable() {
        database = TestPostgres.shared().newDatabase();
        sql = JdbcClient.create(database.dataSource());
        createTable("v2");
    }

    private void createTable(String version) {
        sql.sql("DROP TABLE IF EXISTS event_publication").update();
        new ResourceDatabasePopulator(new ClassPathResource(
                        "org/springframework/modulith/events/jdbc/schemas/" + version + "/schema-postgresql.sql"))
                .execute(database.dataSource());
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void incompletePublicationsBecomeEventsOnce(CapturedOutput output) {
        String ann = "{\"customer\":\"ann\"}";
        publication("mail", OrderPlaced.class.getName(), ann);
        publication("stock", OrderPlaced.class.getName(), ann);
        publication("mail", OrderPlaced.class.getName(), ann);
        publication(EXTERNALIZER, OrderPlaced.class.getName(), "{\"customer\":\"bob\"}");
        publication("mail", CustomerMoved.class.getName(), "{\"id\":\"7\"}");

        run("count");
        assertThat(incomplete()).hasSize(5);
        assertThat(events()).isEmpty();
        assertThat(output)
                .contains("Incomplete publications of Spring Modulith, by listener: {mail become events=3, "
                        + EXTERNALIZER + " become events=1, stock become events=1}. New events: 4")
                .contains("The publications were only counted; outbox.modulith.publications=convert converts them");

        run("convert");
        assertThat(incomplete()).isEmpty();
        assertThat(sql.sql("SELECT DISTINCT status FROM event_publication")
                        .query(String.class)
                        .list())
                .containsExactly("COMPLETED");
        assertThat(events()).containsExactly("orders/ann", "orders/ann", "orders/bob", "customer/7");
        assertThat(sql.sql("SELECT min(occurred_at) FROM events.outbox")
                        .query(OffsetDateTime.class)
                        .single())
                .isAtSameInstantAs(FIRST.plusSeconds(1));

        run("convert");
        assertThat(events()).hasSize(4);
        assertThat(output).contains("by listener: {}. New events: 0");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void waitsOnlyBrieflyForATransactionOfTheOldVersion() throws SQLException {
        publication("mail", CustomerMoved.class.getName(), "{\"id\":\"7\"}");

        try (OpenTransaction old = OpenTransaction.of(database.dataSource())) {
            old.run("UPDATE event_publication SET listener_id = 'mail'");

            assertThatExceptionOfType(OutboxConfigurationException.class)
                    .isThrownBy(
                            () -> run("convert", "--spring.modulith.events.jdbc.schema-initialization.enabled=false"))
                    .withMessage("publications were not converted, because another transaction has changed"
                            + " event_publication and is still open; stop the old version, then start again");
        }
        run("convert");
        assertThat(events()).containsExactly("customer/7");
    }

    @Test
    void otherPublicationsStay(CapturedOutput output) {
        publication("kept", OrderPlaced.class.getName(), "{\"customer\":\"ann\"}");
        publication("gone", "com.example.Gone", "{}");
        publication("garbled", OrderPlaced.class.getName(), "no JSON");
        publication("archive", OrderArchived.class.getName(), "{\"number\":1}");
        publication("seen", OrderSeen.class.getName(), "{\"number\":1}");
        publication("stock", StockCounted.class.getName(), "{\"id\":\"7\",\"version\":3}");
        publication("lost", OrderLost.class.getName(), "{\"number\":1}");
        publication("packed", OrderPacked.class.getName(), "{\"id\":\"7\"}");
        publication("moved", CustomerMoved.class.getName(), "{\"id\":\"\"}");

        run("convert");

        assertThat(events()).isEmpty();
        assertThat(incomplete())
                .containsExactly("kept", "gone", "garbled", "archive", "seen", "stock", "lost", "packed", "moved");
        assertThat(output)
                .contains(
                        "kept stay, because Spring Modulith still calls it=1",
                        "gone stay, because com.example.Gone cannot be read: ClassNotFoundException=1",
                        "garbled stay, because " + OrderPlaced.class.getName() + " cannot be read: ",
                        "archive stay, because no handler or route takes " + OrderArchived.class.getName() + "=1",
                        "seen stay, because " + OrderSeen.class.getName() + " is neither @Outboxed nor externalized=1",
                        "stock stay, because the application numbers the events of " + StockCounted.class.getName()
                                + "=1",
                        "lost stay: the target or key of the externalized event " + OrderLost.class.getName()
                                + " cannot be determined",
                        "packed stay: " + OrderPacked.class.getName() + " inherits different @Outboxed annotations",
                        "moved stay: aggregate id must not be missing or blank=1",
                        "New events: 0");
    }

    @Test
    void externalizedEventIsConvertedAlsoIfModulithSendsNone() {
        publication("mail", OrderPlaced.class.getName(), "{\"customer\":\"ann\"}");

        run("convert", "--spring.modulith.events.externalization.enabled=false");

        assertThat(incomplete()).isEmpty();
        assertThat(events()).containsExactly("orders/ann");
    }

    @Test
    void tableOfOlderVersionIsConverted() {
        createTable("v1");
        publication("mail", OrderPlaced.class.getName(), "{\"customer\":\"ann\"}");

        run("convert", "--spring.modulith.events.jdbc.use-legacy-structure=true");

        assertThat(incomplete()).isEmpty();
        assertThat(events()).containsExactly("orders/ann");
    }

    @Test
    void failureConvertsNothing() {
        publication("mail", CustomerMoved.class.getName(), "{\"id\":\"1\"}");
        publication("last", CustomerMoved.class.getName(), "{\"id\":\"2\"}");
        sql.sql("ALTER TABLE event_publication ADD CHECK (listener_id <> 'last' OR completion_date IS NULL)")
                .update();

        assertThatThrownBy(() -> run("convert")).isInstanceOf(DataIntegrityViolationException.class);

        assertThat(events()).isEmpty();
        assertThat(incomplete()).containsExactly("mail", "last");
    }

    private void publication(String listener, String type, String event) {
        sql.sql("""
                        INSERT INTO event_publication (id, listener_id, event_type, serialized_event, publication_date)
                        VALUES (?, ?, ?, ?, ?)
                        """)
                .param(UUID.randomUUID())
                .param(listener)
                .param(type)
                .param(event)
                .param(FIRST.plusSeconds(rows.incrementAndGet()))
                .update();
    }

    private List<String> incomplete() {
        return sql.sql(
                        "SELECT listener_id FROM event_publication WHERE completion_date IS NULL ORDER BY publication_date")
                .query(String.class)
                .list();
    }

    private List<String> events() {
        return sql.sql("SELECT aggregate_type || '/' || aggregate_id FROM events.outbox ORDER BY id")
                .query(String.class)
                .list();
    }

    private void run(String command, String... properties) {
        new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.poller.enabled=false",
                        "outbox.modulith.publications=" + command)
                .run(properties)
                .close();
    }
}
