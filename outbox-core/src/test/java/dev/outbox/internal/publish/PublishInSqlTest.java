package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.EventTypeName;
import dev.outbox.InvalidEventException;
import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxEvent;
import dev.outbox.StaleSequenceException;
import dev.outbox.fixture.HeldTransaction;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.schema.OutboxMigrations;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.OpenTransaction;
import dev.outbox.testing.SourceTree;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.util.PSQLException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/** The function {@code publish} and the publisher in Java: the same statements, rows and refusals. */
class PublishInSqlTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final String PUBLISH = """
            SELECT event_id, sequence
              FROM events.publish(aggregate_type => :aggregateType, aggregate_id => :aggregateId, event_type => :eventType,
                                  payload => :payload::jsonb, event_id => :eventId::uuid, sequence => :sequence::bigint,
                                  schema_version => :version::integer, stream => :stream, headers => :headers::jsonb,
                                  occurred_at => :occurredAt::timestamptz, origin => :origin,
                                  deliver_at => :deliverAt::timestamptz, deliver_after => :deliverAfter::interval, key => :key,
                                  keep_existing => :keepExisting)
            """;

    /** All columns; ids and times only if the publisher gave them. */
    private static final String ROWS = """
            SELECT (to_jsonb(e) - '{id,event_id,occurred_at,due_at}'::text[]
                    || jsonb_build_object('event_id', CASE WHEN e.event_id::text LIKE '00000000-%' THEN e.event_id END,
                                          'occurred_at', CASE WHEN e.occurred_at < '2020-01-01' THEN e.occurred_at END))::text
              FROM events.outbox e
             ORDER BY e.id
            """;

    private static final String SCHEDULED_ROWS = """
            SELECT (to_jsonb(e) - '{event_id,due_at}'::text[]
                    || jsonb_build_object('days', round(extract(epoch FROM e.due_at - clock_timestamp()) / 86400)))::text
              FROM events.outbox_scheduled e
             ORDER BY e.aggregate_type, e.aggregate_id, e.key, e.payload::text
            """;

    /** Parameters of publish.sql and what the function has for them. */
    private static final Map<String, String> VARIABLES = Map.of(
            "type", "publish.event_type",
            "version", "publish.schema_version",
            "seq", "publish.sequence",
            "origin", "publish.type_origin",
            "due_at", "publish.deliver_at",
            "event_ids", "ARRAY[publish.event_id]",
            "aggregate_types", "ARRAY[publish.aggregate_type]",
            "aggregate_ids", "ARRAY[publish.aggregate_id]");

    @RegisterExtension
    private final TestOutbox java = TestOutbox.create().stream("bulk", PollerSettings.defaults());

    @RegisterExtension
    private final TestOutbox sql = TestOutbox.create();

    @Test
    void functionRunsTheStatementsOfThePublisher() {
        String function = squeezed(
                sql.value(String.class, "SELECT prosrc FROM pg_proc WHERE oid = to_regproc('events.publish')"));
        Stream<String> statements = Stream.concat(
                Stream.of("event", "numbered event", "counters", "known", "schedule", "scheduled", "withdraw")
                        .map((result) -> NamedSql.of(EventStore.class, "publish.sql", result)),
                Stream.of(AggregateTypes.ADD, AggregateTypes.FIND));

        assertThat(statements.map(PublishInSqlTest::asInTheFunction))
                .hasSize(9)
                .allSatisfy((statement) -> assertThat(function).contains(statement));
    }

    @Test
    void publishesTheSameRows() {
        List<OutboxEvent> events = events();
        assertThat(events.size() + refusals().count()).isGreaterThanOrEqualTo(50);

        for (OutboxEvent event : events) {
            EventEnvelope stored = java.publish(event);
            Map<String, Object> row = inSql(event);
            assertThat(row.get("event_id")).isNotNull();
            assertThat(row.get("sequence"))
                    .isEqualTo(stored.sequence() == 0 && stored.id() == 0 ? null : stored.sequence());
        }

        assertThat(rows(sql, ROWS)).isEqualTo(rows(java, ROWS)).hasSizeGreaterThan(25);
        assertThat(rows(sql, SCHEDULED_ROWS))
                .isEqualTo(rows(java, SCHEDULED_ROWS))
                .hasSize(6);
        for (String table : List.of("outbox_aggregate", "outbox_aggregate_type")) {
            String all = "SELECT to_jsonb(t)::text FROM events." + table + " t ORDER BY 1";
            assertThat(rows(sql, all)).isEqualTo(rows(java, all)).hasSizeGreaterThan(5);
        }
    }

    private static List<OutboxEvent> events() {
        OutboxEvent order = event("order", "1");
        OutboxEvent entity = event("account", "1");
        OutboxEvent reminder = event("reminder", "1").deliverAfter(Duration.ofDays(10));
        UUID id = UUID.fromString("00000000-0000-7000-8000-000000000001");
        List<OutboxEvent> events = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            events.add(event("order", Integer.toString(i % 3)));
        }
        events.addAll(List.of(
                order.withSchemaVersion(7),
                order.inStream("bulk"),
                order.withHeader("tenant", "a").withHeader("Überschrift", "näme \"quoted\" \n😀"),
                order.withHeader(EventDepth.HEADER, "5"),
                order.withHeader("large", "v".repeat(5000)),
                order.occurredAt(Instant.parse("2000-02-29T12:00:00.123456Z")),
                order.occurredAt(Instant.parse("0001-01-01T00:00:00Z")),
                order.withEventType("order.placed_v1-x"),
                order.withEventType("A".repeat(255)),
                event("x".repeat(255), "ä".repeat(255)),
                event("😀".repeat(127) + "x", "line\none"),
                event("order", "\u00a0"),
                event("order", " '; DROP TABLE orders; --"),
                event("order", "1", "{\"b\": 1, \"a\": 1.50, \"b\": 1e3}"),
                event("order", "1", "\"text \\u0001 \\ud83d\\ude00\""),
                event("order", "1", "null"),
                event("order", "1", "[".repeat(500) + "]".repeat(500)),
                event("order", "1", "[" + "[],".repeat(800) + "1e999]"),
                event("order", "1", "\"" + "1".repeat(2000) + "\""),
                event("order", "1", "{\"" + "n".repeat(50_000) + "\": 1}"),
                event("order", "1", "{\"" + "😀".repeat(25_000) + "\": 1}"),
                event("order", "1", "\"" + "x".repeat((1 << 20) - 2) + "\""),
                event("order", "1", "[1" + ",1".repeat((1 << 19) - 2) + "]"),
                order.withEventId(id),
                order.withEventId(id),
                OutboxEvent.of("order", "1", Map.of("other", 1))
                        .withEventType("OrderPlaced")
                        .withEventId(id),
                event("fresh", "1").withEventId(UUID.fromString("00000000-0000-7000-8000-000000000002")),
                entity.withSequence(0),
                entity.withSequence(4),
                entity.withSequence(1L << 62),
                entity.withSequence(5).withEventId(UUID.fromString("00000000-0000-7000-8000-000000000003")),
                event("partner-order", "1").withOrigin("urn:partner"),
                event("partner-order", "1").withOrigin("urn:partner").withHeader(EventDepth.HEADER, "5"),
                event("unordered", "u1").withSequence(1),
                event("unordered", "u2").withSequence(1).withOrigin("urn:partner"),
                reminder,
                reminder.withKey("pay"),
                event("reminder", "1", "\"replaces\"")
                        .deliverAfter(Duration.ofDays(20))
                        .withKey("pay"),
                event("reminder", "1", "\"dropped\"")
                        .deliverAfter(Duration.ofDays(30))
                        .withKey("pay")
                        .keepExisting(),
                reminder.withKey("first").keepExisting(),
                event("reminder", "2").deliverAfter(Duration.ofNanos(1)).occurredAt(Instant.EPOCH),
                event("reminder", "2").deliverAt(Instant.parse("9999-12-31T00:00:00Z")),
                event("order", "2")
                        .deliverAfter(Duration.ofDays(36_500))
                        .inStream("bulk")
                        .withHeader("a", "b")));
        return events;
    }

    static Stream<Arguments> refusals() {
        OutboxEvent order = event("order", "1");
        OutboxEvent later = order.deliverAfter(Duration.ofDays(1));
        UUID known = UUID.fromString("00000000-0000-7000-8000-000000000001");
        Class<?> invalid = InvalidEventException.class;
        String ofName = " must not be missing or blank";
        return Stream.of(
                refusal(event(missing(), "1"), invalid, "aggregate type" + ofName),
                refusal(event(" \t", "1"), invalid, "aggregate type" + ofName),
                refusal(event("\u2003\u001f\u3000", "1"), invalid, "aggregate type" + ofName),
                refusal(event("order", missing()), invalid, "aggregate id" + ofName),
                refusal(event("order", ""), invalid, "aggregate id" + ofName),
                refusal(event("order", "x".repeat(256)), invalid, "aggregate id must have at most 255 characters"),
                refusal(event("😀".repeat(128), "1"), invalid, "aggregate type must have at most 255 characters"),
                refusal(order.withEventType("1order"), invalid, EventTypeName.RULE),
                refusal(order.withEventType("A".repeat(256)), invalid, EventTypeName.RULE),
                refusal(order.withEventType("A\n"), invalid, EventTypeName.RULE),
                refusal(OutboxEvent.of("order", "1", missing()).withEventType("A"), invalid, "must not be null"),
                refusal(order.withSchemaVersion(0), invalid, "must be at least 1: 0"),
                refusal(order.withSequence(-1), invalid, "must be from 0 to 4611686018427387904: -1"),
                refusal(order.withSequence((1L << 62) + 1), invalid, "must be from 0 to 4611686018427387904"),
                refusal(
                        order.occurredAt(Instant.parse("0000-12-31T23:59:59Z")),
                        invalid,
                        "must be in the years 1 to 9999"),
                refusal(
                        order.occurredAt(Instant.parse("+10000-01-01T00:00:00Z")),
                        invalid,
                        "must be in the years 1 to 9999"),
                refusal(order.withKey("k"), invalid, "which only scheduled events have"),
                refusal(order.keepExisting(), invalid, "which only scheduled events have"),
                refusal(later.withKey(" "), invalid, "key" + ofName),
                refusal(later.withKey("k".repeat(256)), invalid, "key must have at most 255 characters"),
                refusal(later.keepExisting(), invalid, "needs a key"),
                refusal(later.withEventId(UUID.randomUUID()), invalid, "must not have an event id: use"),
                refusal(later.withSequence(1), invalid, "must not have a sequence: it is numbered when it is due"),
                refusal(order.deliverAfter(Duration.ofMillis(-1)), invalid, "must be from 0 to 36500 days"),
                refusal(order.deliverAfter(Duration.ofDays(36_501)), invalid, "must be from 0 to 36500 days"),
                refusal(
                        order.deliverAt(Instant.parse("+10000-01-01T00:00:00Z")),
                        invalid,
                        "must be in the years 1 to 9999"),
                refusal(order.withOrigin(" "), invalid, "origin" + ofName),
                refusal(order.withHeader("origin", "x"), invalid, "is reserved for events of other services"),
                refusal(order.withHeader("h", missing()), invalid, "null"),
                refusal(order.withHeader("h", "v".repeat(1 << 20)), invalid, "bytes, more than the 1048576"),
                refusal(
                        event("order", "1", "\"" + "x".repeat((1 << 20) - 1) + "\""),
                        invalid,
                        "bytes, more than the 1048576"),
                refusal(
                        event("order", "1", "[1" + ",1".repeat(1 << 19) + "]"),
                        invalid,
                        "bytes, more than the 1048576"),
                refusal(
                        event("order", "1", "[".repeat(501) + "]".repeat(501)),
                        invalid,
                        "more than 500 nested arrays and objects"),
                refusal(event("order", "1", "{\"a\": [1e1000]}"), invalid, "a number of more than 1000 digits"),
                refusal(event("order", "1", "-0." + "1".repeat(1000)), invalid, "a number of more than 1000 digits"),
                refusal(
                        event("order", "1", "{\"" + "n".repeat(50_001) + "\": 1}"),
                        invalid,
                        "a name of more than 50000 characters"),
                refusal(
                        event("order", "1", "{\"" + "😀".repeat(25_000) + "n\": 1}"),
                        invalid,
                        "a name of more than 50000 characters"),
                refusal(
                        order.withSequence(1),
                        invalid,
                        "has a sequence, but other events of this aggregate type have none"),
                refusal(
                        event("account", "1"),
                        invalid,
                        "has no sequence, but other events of this aggregate type have one"),
                refusal(
                        event("account", "1").deliverAfter(Duration.ZERO),
                        invalid,
                        "other events of this aggregate type have one"),
                refusal(
                        order.withOrigin("urn:partner"),
                        invalid,
                        "comes from urn:partner, but other events of this aggregate type"),
                refusal(
                        event("order", "2").withEventId(known),
                        EventConflictException.class,
                        "is already used by OrderPlaced"),
                refusal(
                        order.withEventType("OrderPaid").withEventId(known),
                        EventConflictException.class,
                        "is already used by OrderPlaced"),
                refusal(
                        event("account", "1").withSequence(4),
                        StaleSequenceException.class,
                        "is taken by another event"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesTheSame(OutboxEvent event, Class<? extends RuntimeException> refusal, String message) {
        for (OutboxEvent before : List.of(
                event("order", "1").withEventId(UUID.fromString("00000000-0000-7000-8000-000000000001")),
                event("account", "1").withSequence(4))) {
            java.publish(before);
            inSql(before);
        }

        assertThatThrownBy(() -> java.publish(event))
                .isExactlyInstanceOf(refusal)
                .hasMessageContaining(message);
        PSQLException refused = refusedInSql(event);
        assertThat(refused.getServerErrorMessage().getMessage()).contains(message);
        assertThat(kind(refused)).isEqualTo(refusal);
        assertThat(sql.events()).isEqualTo(java.events()).isEqualTo(2);
    }

    private static Class<?> kind(PSQLException refused) {
        String state = refused.getSQLState();
        if (state.equals("23505")) {
            return switch (String.valueOf(refused.getServerErrorMessage().getConstraint())) {
                case "outbox_unpublished_event_id" -> EventConflictException.class;
                case "outbox_unpublished_aggregate" -> StaleSequenceException.class;
                default -> PSQLException.class;
            };
        }
        return state.equals("22023") ? InvalidEventException.class : PSQLException.class;
    }

    @Test
    void readOnlyTransactionIsRefused() {
        TransactionTemplate readOnly = sql.transactions();
        readOnly.setReadOnly(true);
        String message = "is read-only and cannot store an event";

        assertThatThrownBy(() -> readOnly.execute((status) -> sql.publisher().publish(event("order", "1"))))
                .isInstanceOf(InvalidTransactionException.class)
                .hasMessageContaining(message);
        assertThatThrownBy(() -> readOnly.execute((status) -> call(sql.dataSource(), event("order", "1"))))
                .hasMessageContaining(message)
                .hasStackTraceContaining("Publish in the transaction that makes the change.");
    }

    @Test
    void otherCallersMayLeaveOutOrGiveNull() {
        assertThatThrownBy(() -> sql.update("SELECT events.publish('order', '1', 'A', '{', wake => true)"))
                .hasMessageContaining("invalid input syntax for type json");
        assertThatThrownBy(
                        () -> sql.value(String.class, "SELECT events.publish('order', '1', 'A', '\"\\u0000\"')::text"))
                .hasMessageContaining("unsupported Unicode escape sequence");
        assertThatThrownBy(
                        () -> sql.value(
                                String.class,
                                "SELECT events.publish('order', '1', 'A', '1', deliver_at => now(), deliver_after => '1 s')::text"))
                .hasMessageContaining("has deliver_at and deliver_after; give one of them");
        assertThatThrownBy(() -> sql.value(
                        String.class,
                        "SELECT events.publish('order', '1', 'A', '1', occurred_at => '-infinity')::text"))
                .hasMessageContaining("must be in the years 1 to 9999");
        assertThatThrownBy(() ->
                        sql.value(String.class, "SELECT events.publish('order', '1', 'A', '1', headers => '[]')::text"))
                .hasMessageContaining("must be an object of texts");

        String later = "SELECT events.publish('order', '1', 'A', '1', deliver_after => '%s')::text";
        for (String delay : TestPostgres.shared().majorVersion() < 17
                ? List.of("-1 year 361 days")
                : List.of("-1 year 361 days", "infinity", "-infinity")) {
            assertThatThrownBy(() -> sql.value(String.class, later.formatted(delay)))
                    .hasMessageContaining("must be from 0 to 36500 days");
        }

        sql.value(String.class, """
                SELECT events.publish('order', '1', 'A', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                      NULL)::text
                """);
        assertThat(sql.values(
                        String.class,
                        "SELECT concat_ws(' ', stream, aggregate_seq, schema_version, headers) FROM events.outbox"))
                .containsExactly("default 1 1 {}");
        assertThat(sql.value(Integer.class, "SELECT substr(event_id::text, 15, 1)::integer FROM events.outbox"))
                .isEqualTo(7);
    }

    @Test
    void anotherPayloadForAnEventIdIsReported() throws SQLException {
        String publish = "SELECT events.publish('order', '1', 'A', '%s', '00000000-0000-7000-8000-000000000001')";
        try (Connection connection = sql.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(publish.formatted("{\"a\": 1.0}"));
            statement.execute(publish.formatted("{\"a\": 1.00}"));
            assertThat((Throwable) statement.getWarnings()).isNull();
            statement.execute(publish.formatted("{\"a\": 2}"));
            assertThat((Throwable) statement.getWarnings())
                    .hasMessageContaining("was published again with another payload, and the first payload stays");
        }
        assertThat(sql.events()).isEqualTo(1);
    }

    @Test
    void publishesOncePerRowInFrom() {
        assertThat(sql.values(Long.class, """
                        SELECT sequence
                          FROM generate_series(1, 3) number, events.publish('order', '1', 'A', to_jsonb(number))
                        """)).containsExactly(1L, 2L, 3L);
        sql.value(String.class, "SELECT ROW((events.publish('order', '1', 'A', '4')).*)::text");
        assertThat(sql.values(String.class, "SELECT payload::text FROM events.outbox ORDER BY aggregate_seq"))
                .as("an expanded call runs once per column")
                .containsExactly("1", "2", "3", "4", "4");
    }

    @Test
    void secondTransactionWithTheSameVersionIsStale() {
        OutboxEvent version = event("account", "1").withSequence(2);
        sql.publish(event("account", "1").withSequence(1));
        HeldTransaction<?> first = sql.hold(() -> sql.publisher().publish(version));
        CompletableFuture<PSQLException> second = InBackground.run(() -> refusedInSql(version));
        sql.awaitWaiting(1);

        first.commit();

        assertThat(InBackground.result(second).getServerErrorMessage())
                .satisfies((error) -> assertThat(error.getMessage())
                        .startsWith("OrderPlaced of account/1 has the sequence 2, which is taken by another event"))
                .satisfies((error) -> assertThat(error.getHint()).startsWith("Roll back, read the entity again"));
    }

    @Test
    void publishersInSqlAndJavaShareAnAggregateWithoutGaps() {
        Queue<Long> handled = new ConcurrentLinkedQueue<>();
        sql.handler("mail", "OrderPlaced", (event) -> handled.add(event.sequence()))
                .start();
        List<CompletableFuture<Integer>> publishers = IntStream.range(0, 4)
                .mapToObj((publisher) -> InBackground.run(() -> {
                    for (int i = 0; i < 100; i++) {
                        OutboxEvent event = event("order", "1");
                        boolean rollsBack = i % 10 == 0;
                        sql.transactions().executeWithoutResult((status) -> {
                            if (publisher % 2 == 0) {
                                sql.publisher().publish(event);
                            } else {
                                call(sql.dataSource(), event);
                            }
                            if (rollsBack) {
                                status.setRollbackOnly();
                            }
                        });
                    }
                    return publisher;
                }))
                .toList();
        publishers.forEach(InBackground::result);

        await().until(() -> handled.size() == 360);
        List<Long> numbers = LongStream.rangeClosed(1, 360).boxed().toList();
        assertThat(handled).containsExactlyElementsOf(numbers);
        assertThat(sql.values(Long.class, "SELECT aggregate_seq FROM events.outbox ORDER BY id"))
                .isEqualTo(numbers);
    }

    @Test
    void committedEventsWakeOnceAndOnlyIfTold() throws SQLException {
        String publish = "SELECT events.publish('order', '1', 'A', '1'%s);";
        try (Connection listening = sql.dataSource().getConnection();
                Statement listen = listening.createStatement();
                OpenTransaction transaction = OpenTransaction.of(sql.dataSource())) {
            listen.execute("LISTEN \"outbox_events\"");
            transaction.run(publish.formatted("")).commit();
            transaction.run(publish.formatted(", wake => true")).rollback();
            transaction
                    .run(publish.formatted(", wake => true, deliver_after => '1 day'"))
                    .commit();
            transaction
                    .run(publish.formatted(", wake => true").repeat(2))
                    .run(publish.formatted(", wake => true, deliver_after => '1 minute'"))
                    .commit();

            assertThat(Stream.of(listening.unwrap(PGConnection.class).getNotifications(10_000))
                            .map(PGNotification::getParameter))
                    .satisfiesExactly(
                            (stream) -> assertThat(stream).matches("\\n\\d+\\n0\\nSTREAM\\ndefault"),
                            (scheduled) -> assertThat(scheduled).matches("\\n\\d+\\n4\\nSCHEDULED\\n"));
        }
    }

    @Test
    void pollerThatRestsIsWoken() {
        Queue<Long> handled = new ConcurrentLinkedQueue<>();
        sql.poller(Duration.ofHours(1), 10, Duration.ofMinutes(1))
                .withNotifications()
                .handler("mail", "OrderPlaced", (event) -> handled.add(event.sequence()))
                .start();
        sql.awaitListeners(1);

        for (int event = 1; event <= 3; event++) {
            sql.value(String.class, "SELECT events.publish('order', '1', 'OrderPlaced', '1', wake => true)::text");
            int number = event;
            await().atMost(Duration.ofSeconds(15)).until(() -> handled.size() == number);
        }
    }

    @Test
    void worksInASchemaOfAnyName() throws SQLException {
        String schema = "s".repeat(63);
        try (TestDatabase database = TestPostgres.shared().newDatabase();
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            new OutboxMigrations(database.dataSource(), new OutboxSchema(schema), OutboxSchema.DEFAULT_ARCHIVE)
                    .migrate();
            statement.execute("SET search_path = pg_temp");
            statement.execute("LISTEN outbox_" + "s".repeat(56));
            statement.execute("SELECT " + schema + ".publish('order', '1', 'A', '1', wake => true)");

            assertThat(connection.unwrap(PGConnection.class).getNotifications(10_000))
                    .hasSize(1);
            assertThat(JdbcClient.create(database.dataSource())
                            .sql("SELECT count(*) FROM " + schema + ".outbox_unpublished")
                            .query(Long.class)
                            .single())
                    .isEqualTo(1);
        }
    }

    @Test
    void functionHasTheRightsOfItsCallerAndItsOwnSearchPath() {
        assertThat(sql.value(
                        String.class,
                        "SELECT prosecdef || ' ' || array_to_string(proconfig, ' ') FROM pg_proc"
                                + " WHERE oid = to_regproc('events.publish')"))
                .isEqualTo("false search_path=pg_catalog, pg_temp standard_conforming_strings=on");
    }

    @Test
    void argumentsMayHaveAnyCollation() throws SQLException {
        try (Connection owner = sql.owner().getConnection();
                Statement statement = owner.createStatement()) {
            statement.execute("""
                    CREATE COLLATION insensitive (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
                    CREATE TABLE articles (code text COLLATE insensitive, title text COLLATE "en-x-icu", language text);
                    INSERT INTO articles VALUES ('a', 'b', 'c'), ('A', 'b', 'c');
                    """);
            for (String arguments : List.of(
                    "code, code, code, '1', stream => code, origin => code",
                    "code, title, language, '1', stream => code, origin => code",
                    "title, code, 'A', '1', gen_random_uuid()",
                    "title, code, 'A', '1', deliver_after => '1 day', key => title",
                    "title, code, 'A', '1', deliver_after => '1 day', key => title, keep_existing => true",
                    "'numbered', code, 'A', '1', sequence => 1")) {
                statement.execute("SELECT published.* FROM articles, events.publish(" + arguments + ") published");
            }
        }

        assertThat(
                        sql.values(
                                String.class,
                                "SELECT concat_ws('/', aggregate_type, aggregate_id, aggregate_seq) FROM events.outbox ORDER BY 1"))
                .containsExactly("A/A/1", "A/b/1", "a/a/1", "a/b/1", "b/A/1", "b/a/1", "numbered/A/1", "numbered/a/1");
        assertThat(sql.values(String.class, "SELECT aggregate_id FROM events.outbox_scheduled ORDER BY 1"))
                .containsExactly("A", "a");
    }

    @Test
    void sessionMayHaveAnySettings() throws SQLException {
        try (Connection connection = sql.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    SET standard_conforming_strings = off;
                    SET IntervalStyle = sql_standard;
                    SET TimeZone = 'Asia/Kolkata';
                    """);
            statement.execute("SELECT events.publish('order', '1', 'A', '{\"a\": 1}', wake => true)");
            statement.execute("SELECT events.publish('order', '1', 'A', '1', deliver_after => '1 day')");

            assertThat((Throwable) statement.getWarnings()).isNull();
        }
        assertThat(sql.events()).isEqualTo(1);
    }

    @Test
    void worksInADatabaseOfAnotherEncoding() throws SQLException {
        String name = "latin_" + UUID.randomUUID().toString().replace("-", "");
        try (TestDatabase database = TestPostgres.shared().newDatabase();
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name + " ENCODING LATIN1 LOCALE 'C' TEMPLATE template0");
            try {
                DataSource latin = new DriverManagerDataSource(
                        database.jdbcUrl().replace(database.name(), name), database.username(), database.password());
                new OutboxMigrations(latin, OutboxSchema.DEFAULT, OutboxSchema.DEFAULT_ARCHIVE).migrate();

                call(latin, event("Käufer", "1"));
                assertThatThrownBy(() -> call(latin, event("order", "ä".repeat(256))))
                        .hasStackTraceContaining("aggregate id must have at most 255 characters");
                assertThatThrownBy(() -> call(latin, event("order", "\t")))
                        .hasStackTraceContaining("aggregate id must not be missing or blank");
            } finally {
                statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
            }
        }
    }

    @Test
    void publisherNeedsExecuteAndItsGrants() {
        sql.update("REVOKE EXECUTE ON FUNCTION events.publish FROM PUBLIC");
        OutboxEvent event = event("order", "1");

        call(sql.another("outbox_publisher").dataSource(), event);
        call(
                sql.another("outbox_publisher").dataSource(),
                event.deliverAfter(Duration.ofDays(1)).withKey("k"));
        OutboxEvent chosen = event.withEventId(UUID.randomUUID());
        assertThatThrownBy(() -> call(sql.another("outbox_publisher").dataSource(), chosen))
                .hasStackTraceContaining("permission denied for table outbox");
        sql.update("GRANT SELECT (payload, headers) ON events.outbox TO outbox_publisher");
        call(sql.another("outbox_publisher").dataSource(), chosen);
        assertThatThrownBy(() -> call(sql.another("outbox_reader").dataSource(), event))
                .hasStackTraceContaining("permission denied for function publish");
        sql.update("GRANT EXECUTE ON FUNCTION events.publish TO outbox_reader");
        assertThatThrownBy(() -> call(sql.another("outbox_reader").dataSource(), event))
                .hasStackTraceContaining("permission denied for table outbox_");
        assertThat(sql.events()).isEqualTo(2);
    }

    @Test
    void examplesOfThePageRun() throws SQLException {
        Pattern block = Pattern.compile("^```sql\\R(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
        List<String> examples = block.matcher(SourceTree.read(SourceTree.ROOT.resolve("docs/publishing-in-sql.md")))
                .results()
                .map((found) -> found.group(1))
                .toList();
        try (Connection owner = sql.owner().getConnection();
                Statement statement = owner.createStatement()) {
            for (String example : examples) {
                statement.execute(example);
            }
            statement.execute("INSERT INTO orders VALUES (8, 'Bob')");
        }

        assertThat(
                        sql.values(
                                String.class,
                                "SELECT concat_ws(' ', event_type, aggregate_id, aggregate_seq, payload) FROM events.outbox ORDER BY id"))
                .containsExactly(
                        "OrderPlaced 7 1 {\"number\": 7}",
                        "CustomerChanged 7 2 {\"customer\": \"Ann\"}",
                        "OrderPlaced 8 1 {\"number\": 8}");
    }

    private static OutboxEvent event(String aggregateType, String aggregateId) {
        return OutboxEvent.of(aggregateType, aggregateId, new OrderPlaced(1)).withEventType("OrderPlaced");
    }

    private static OutboxEvent event(String aggregateType, String aggregateId, String json) {
        return OutboxEvent.of(aggregateType, aggregateId, new RawValue(json)).withEventType("OrderPlaced");
    }

    private static Arguments refusal(OutboxEvent event, Class<?> refusal, String message) {
        return Arguments.of(event, refusal, message);
    }

    private Map<String, Object> inSql(OutboxEvent event) {
        return sql.inTransaction(() -> call(sql.dataSource(), event));
    }

    private PSQLException refusedInSql(OutboxEvent event) {
        DataAccessException thrown = catchThrowableOfType(DataAccessException.class, () -> inSql(event));
        assertThat(thrown).hasRootCauseInstanceOf(PSQLException.class);
        return (PSQLException) thrown.getRootCause();
    }

    private static Map<String, Object> call(DataSource dataSource, OutboxEvent event) {
        return JdbcClient.create(dataSource)
                .sql(PUBLISH)
                .param("aggregateType", event.aggregateType())
                .param("aggregateId", event.aggregateId())
                .param("eventType", event.eventType())
                .param("payload", event.payload() == null ? null : JSON.writeValueAsString(event.payload()))
                .param("eventId", event.eventId())
                .param("sequence", event.sequence())
                .param("version", event.schemaVersion())
                .param("stream", event.stream())
                .param("headers", event.headers().isEmpty() ? null : JSON.writeValueAsString(event.headers()))
                .param("occurredAt", time(event.occurredAt()))
                .param("origin", event.origin())
                .param("deliverAt", time(event.deliverAt()))
                .param(
                        "deliverAfter",
                        event.deliverAfter() == null
                                ? null
                                : event.deliverAfter().toString())
                .param("key", event.key())
                .param("keepExisting", event.keepsExisting())
                .query()
                .singleRow();
    }

    private static @Nullable Object time(@Nullable Instant time) {
        return time == null ? null : time.atOffset(ZoneOffset.UTC);
    }

    private static List<String> rows(TestOutbox outbox, String query) {
        return outbox.values(String.class, query);
    }

    private static String asInTheFunction(String statement) {
        String named = Pattern.compile("(?<!:):([a-z][a-z_]*)")
                .matcher(OutboxSchema.DEFAULT.render(statement))
                .replaceAll((MatchResult parameter) ->
                        VARIABLES.getOrDefault(parameter.group(1), "publish." + parameter.group(1)));
        return squeezed(named);
    }

    private static String squeezed(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    /** What a caller without null checks may pass. */
    @SuppressWarnings("NullAway")
    private static <T> T missing() {
        return null;
    }
}
