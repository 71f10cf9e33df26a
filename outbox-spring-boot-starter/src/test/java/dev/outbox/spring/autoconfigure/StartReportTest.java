package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

@ExtendWith(OutputCaptureExtension.class)
class StartReportTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void startNamesTheSchemaOfTheArchiveAndEventsWithoutOrder(CapturedOutput output) {
        Applications.on(database)
                .withBean(Announcements.class)
                .withPropertyValues("outbox.retention.archive=true")
                .run((context) -> assertThat(output)
                        .contains("Events are stored in schema events and archived in schema audit")
                        .contains("Events without order: Announced"));
    }

    @Test
    void startListsSchemasStreamsAndHandlersInThreeLines() {
        Logger library = (Logger) LoggerFactory.getLogger("dev.outbox");
        Level level = library.getLevel();
        library.setLevel(Level.INFO);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        library.addAppender(lines);
        try {
            Applications.withSubscriptionsOn(database)
                    .withPropertyValues("outbox.streams.mail.batch-size=1", "outbox.poller.streams=default")
                    .run((context) -> assertThat(lines.list)
                            .filteredOn((line) -> line.getLevel().isGreaterOrEqual(Level.INFO)
                                    && !line.getLoggerName().startsWith("dev.outbox.testing"))
                            .extracting((line) -> line.getLevel() + " " + line.getFormattedMessage())
                            .satisfiesExactly(
                                    (line) -> assertThat(line)
                                            .startsWith("INFO Events are stored in schema events, without an archive"),
                                    (line) -> assertThat(line)
                                            .isEqualTo("INFO Polling streams: default; not polled here: mail"),
                                    (line) -> assertThat(line)
                                            .startsWith("INFO Handlers and their event types: licensing.extend"
                                                    + " (SubscriptionStarted)")));
        } finally {
            library.detachAppender(lines);
            library.setLevel(level);
        }
    }

    @Test
    void applicationWithoutHandlersIsToldThatItOnlyPublishes(CapturedOutput output) {
        Applications.on(database)
                .run((context) -> assertThat(output)
                        .doesNotContain("Polling")
                        .contains("This application has no handlers, so it only publishes; with"
                                + " outbox.poller.enabled=true, it also polls"));
    }

    @Test
    void streamsThatAreNotThereAreNotNamed(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .run((context) -> assertThat(output).containsPattern("Polling streams: default\\R"));
    }

    @Test
    void instanceThatPollsNoStreamSaysSoBesideItsHandlers(CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.poller.enabled=false")
                .run((context) -> assertThat(output)
                        .doesNotContain("Polling")
                        .containsPattern("Handlers and their event types: .*; this instance polls no stream\\R"));
    }

    @ParameterizedTest
    @CsvSource({"5m,30s,true", "31s,,true", "30s,,false", "5m,6m,false"})
    void shutdownThatSpringCutsShortIsReported(String own, String phase, boolean reported, CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("outbox.poller.shutdown-timeout=" + own)
                .withPropertyValues(phase == null ? "x=y" : "spring.lifecycle.timeout-per-shutdown-phase=" + phase)
                .run((context) -> {
                    String line =
                            "but Spring stops waiting after 30 s: running handlers are cut off then. Shorten it, or"
                                    + " raise spring.lifecycle.timeout-per-shutdown-phase";
                    assertThat(output.toString().contains(line)).isEqualTo(reported);
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    outbox           | 3    | 3
                    outbox           | 1001 | 1,000+
                    outbox_scheduled | 1    | 1
                    """)
    void eventsInAFormerSchemaAreReported(String table, int events, String number, CapturedOutput output) {
        store(table, events);

        Applications.on(database)
                .withPropertyValues("outbox.schema=shop")
                .run((context) -> assertThat(output)
                        .contains("Schema events of this database has " + number
                                + " unpublished or scheduled events, and no"
                                + " instance polls it. If outbox.schema has changed, run an instance with outbox.schema=events"
                                + " until they are handled"));
    }

    @Test
    void schemaOfAnotherApplicationIsNotReported(CapturedOutput output) {
        Applications.on(database)
                .withPropertyValues("outbox.schema=shop")
                .run((context) -> assertThat(context).hasNotFailed());
        store("outbox", 1);
        JdbcClient.create(database.dataSource())
                .sql(
                        "INSERT INTO events.outbox_instance (name, streams, open_circuits) VALUES ('other', '{default}', '{}')")
                .update();
        Applications.on(database)
                .withPropertyValues("outbox.schema=shop")
                .run((context) -> assertThat(context).hasNotFailed());
        Applications.on(database).run((context) -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("no instance polls it");
    }

    private void store(String table, int events) {
        boolean scheduled = table.equals("outbox_scheduled");
        JdbcClient.create(database.dataSource())
                .sql("INSERT INTO events." + table + " (event_id, stream, aggregate_type, aggregate_id, event_type,"
                        + " schema_version, payload, headers, " + (scheduled ? "due_at)" : "aggregate_seq)")
                        + " SELECT gen_random_uuid(), 'default', 'order', n, 'OrderPlaced', 1, '{}', '{}', "
                        + (scheduled ? "now() + interval '1 day'" : "1") + " FROM generate_series(1, :events) n")
                .param("events", events)
                .update();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    FOR TABLE events.outbox WITH (publish_via_partition_root = true)       | true
                    FOR ALL TABLES WITH (publish_via_partition_root = true)                | true
                    FOR TABLE events.outbox                                                | true
                    FOR TABLE events.outbox WITH (publish = 'delete')                      | false
                    FOR TABLE events.outbox_unpublished WITH (publish = 'insert')          | false
                    FOR TABLE events.outbox_unpublished, events.outbox_stream              | false
                    FOR TABLE events.outbox, events.outbox_stream                          | false
                    FOR ALL TABLES                                                         | false
                    """)
    void publicationThatHasEachEventTwiceIsReported(String publication, boolean reported, CapturedOutput output) {
        JdbcClient.create(database.as("postgres"))
                .sql("CREATE PUBLICATION \"Capture\" " + publication)
                .update();

        Applications.on(database).run((context) -> assertThat(context).hasNotFailed());

        String line =
                "Publication \"Capture\" has each event twice: when it is stored, and when it moves to history. Let Debezium"
                        + " read another one: CREATE PUBLICATION … FOR TABLE events.outbox_unpublished WITH (publish = 'insert')";
        assertThat(output.toString().contains(line)).isEqualTo(reported);
        assertThat(output.toString().contains("Publication ")).isEqualTo(reported);
    }

    @ParameterizedTest
    @CsvSource({"billing, true", "shop, false", ", false"})
    void handlerOfAnotherApplicationIsReported(String application, boolean reported, CapturedOutput output) {
        Applications.withSubscriptionsOn(database)
                .withPropertyValues("spring.application.name=shop")
                .run((shop) -> {
                    await().until(() ->
                            Applications.count(shop, "events.outbox_instance WHERE application = 'shop'") == 1);
                    Applications.withSubscriptionsOn(database)
                            .withPropertyValues(application == null ? "x=y" : "spring.application.name=" + application)
                            .run((other) -> assertThat(other).hasNotFailed());
                });

        String line =
                "Applications billing and shop both have a handler licensing.extend: each event goes to one of them.";
        if (reported) {
            assertThat(output).containsOnlyOnce(line);
        } else {
            assertThat(output).doesNotContain("both have a handler");
        }
    }

    @Test
    void applicationThatHasStoppedIsNotReported(CapturedOutput output) {
        for (String application : List.of("shop", "billing")) {
            Applications.withSubscriptionsOn(database)
                    .withPropertyValues("spring.application.name=" + application)
                    .run((context) -> assertThat(context).hasNotFailed());
        }

        assertThat(output).doesNotContain("both have a handler");
    }

    @Test
    void kotlinClassesWithoutTheirJacksonModuleAreReported(CapturedOutput output) throws ClassNotFoundException {
        Class<?> payload = Class.forName("kotlin.KotlinVersion");
        Applications.on(database)
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("versions", payload, (event, envelope) -> {}))
                .run((context) -> assertThat(output)
                        .contains(
                                "Handlers take the Kotlin classes [kotlin.KotlinVersion], whose default values and null"
                                        + " checks the mapper of payloads does not know: add"
                                        + " tools.jackson.module:jackson-module-kotlin"));
    }

    @Test
    void applicationsWithoutHandlersOrWithOutboxTurnedOffAreLeftAlone(CapturedOutput output) {
        Applications.on(database)
                .withBean("orders", DataSource.class, database::dataSource)
                .withBean("billing", DataSource.class, database::dataSource)
                .run((context) -> assertThat(context).hasNotFailed());
        Applications.on(database)
                .withBean(Licensing.class)
                .withPropertyValues("outbox.enabled=false")
                .run((context) -> assertThat(context).hasNotFailed());

        assertThat(output)
                .doesNotContain("The outbox is off")
                .containsOnlyOnce(
                        "INFO  [main] d.o.s.a.MissingOutboxAutoConfiguration - outbox.enabled is false, so these handlers"
                                + " receive no events: [subscriptions.Licensing.extend]");
    }

    @Test
    void mistypedSwitchIsReported(CapturedOutput output) {
        Applications.on(database)
                .withBean(Licensing.class)
                .withPropertyValues("outbox.enabled=flase")
                .run((context) -> assertThat(output)
                        .containsOnlyOnce(
                                "The outbox is off and the handlers receive no events, because outbox.enabled is"
                                        + " 'flase', neither true nor false. Set outbox.enabled=true. Handlers: ["));
    }

    @Outboxed
    record Announced(String text) {}

    static class Announcements {

        @OutboxHandler(id = "announce")
        void announce(Announced event) {}
    }
}
