package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.MigratedDatabases;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.operations.fixture.Operator;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whether grants.sql knows every table, and every call of the console and the endpoint. */
class GrantsTest {

    private static final Set<String> READS = Set.of(
            "overview",
            "failures",
            "lanes",
            "aggregateTypes",
            "pauses",
            "findEvent",
            "findEvents",
            "find",
            "count",
            "countErasable",
            "untaken",
            "operations",
            "commands",
            "list");

    /** They read the archive. */
    private static final Set<String> ERASURES = Set.of("countErasable", "erase");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().handler("mail", "OrderPlaced", (event) -> {});

    private EventEnvelope event;
    private long replay;

    @BeforeEach
    void arrange() throws SQLException {
        outbox.withoutPolling();
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .register(
                        Map.of(
                                "mail", Set.of(Subscription.ofType("OrderPlaced")),
                                "kafka-inbox-orders", Set.of(Subscription.ofType("outbox.KafkaRecord"))),
                        Map.of(),
                        Duration.ofDays(7));
        event = outbox.publish("1", new OrderPlaced(1));
        new Lanes(outbox).dead("mail", event);
        outbox.addStream("default");
        outbox.sql().sql("UPDATE events.outbox_aggregate_type SET origin = '1'").update();
        replay = Operator.of(outbox).replays().start(ReplayRequest.of("mail"), "ann", "to cancel it");
    }

    @Test
    void workerMayRunEveryOperationButErasures() {
        try (TestOutbox worker = as("outbox_worker")) {
            calls(worker).forEach((call) -> {
                if (ERASURES.contains(call.method().getName())) {
                    assertThatThrownBy(call::run).isInstanceOf(OutboxConfigurationException.class);
                } else {
                    assertThatCode(call::run).as(call.method().getName()).doesNotThrowAnyException();
                }
            });
        }
    }

    @Test
    void readerMayRunTheOperationsThatChangeNothing() {
        try (TestOutbox reader = as("outbox_reader")) {
            calls(reader).forEach((call) -> {
                String name = call.method().getName();
                if (READS.contains(name)) {
                    assertThatCode(call::run).as(name).doesNotThrowAnyException();
                } else {
                    assertThatThrownBy(call::run).as(name).isInstanceOf(OutboxConfigurationException.class);
                }
            });
        }
    }

    /** Only the types of an id, and scheduled events, are in tables that a publisher reads. */
    @Test
    void publisherMayRunNone() {
        try (TestOutbox publisher = as("outbox_publisher")) {
            calls(publisher).stream()
                    .filter((call) -> !call.method().getName().equals("aggregateTypes"))
                    .filter((call) -> call.method().getDeclaringClass() != ScheduledEvents.class
                            || !call.method().getName().equals("find"))
                    .forEach((call) -> assertThatThrownBy(call::run)
                            .as(call.method().getName())
                            .isInstanceOf(OutboxConfigurationException.class));
        }
    }

    @Test
    void everyTableIsGrantedToWorkersAndReaders() {
        for (String role : List.of("outbox_worker", "outbox_reader")) {
            assertThat(outbox.sql().sql("""
                                    SELECT c.relname
                                      FROM pg_class c
                                      JOIN pg_namespace n ON n.oid = c.relnamespace
                                     WHERE n.nspname IN ('events', 'audit')
                                       AND c.relkind IN ('r', 'p', 'v')
                                       AND NOT has_any_column_privilege(?, c.oid, 'SELECT')
                                    """).param(role).query(String.class).list())
                    .as(role + " cannot read")
                    .isEmpty();
        }
    }

    @Test
    void everyTableIsInTheList() {
        assertThat(outbox.sql().sql("""
                                SELECT n.nspname || '.' || c.relname
                                  FROM pg_class c
                                  JOIN pg_namespace n ON n.oid = c.relnamespace
                                 WHERE n.nspname IN ('events', 'audit')
                                   AND c.relkind IN ('r', 'p', 'v', 'S')
                                   AND c.relname <> 'outbox_schema_history'
                                """).query(String.class).list())
                .containsExactlyInAnyOrderElementsOf(OutboxRelation.LIST.stream()
                        .map((one) -> (one.archive() ? "audit." : "events.") + one.name())
                        .toList());
    }

    @Test
    void noRoleOwnsOrCreatesAnything() {
        for (String role : List.of("outbox_publisher", "outbox_worker", "outbox_reader")) {
            assertThat(outbox.sql()
                            .sql("""
                                    SELECT has_schema_privilege(:role, 'events', 'CREATE')
                                        OR has_schema_privilege(:role, 'audit', 'CREATE')
                                        OR has_database_privilege(:role, current_database(), 'CREATE')
                                        OR EXISTS (SELECT
                                                     FROM pg_class
                                                    WHERE relowner = :role::regrole
                                                       OR has_table_privilege(:role, oid, 'TRUNCATE')
                                                          AND relnamespace IN ('events'::regnamespace, 'audit'::regnamespace)
                                                          AND relkind IN ('r', 'p'))
                                    """)
                            .param("role", role)
                            .query(Boolean.class)
                            .single())
                    .as(role)
                    .isFalse();
        }
    }

    @Test
    void grantingTwiceChangesNothing() {
        List<String> before = privileges();

        outbox.database().grant(MigratedDatabases.grants());

        assertThat(privileges()).isEqualTo(before).hasSizeGreaterThan(20);
    }

    private List<String> privileges() {
        return outbox.sql().sql("""
                        SELECT c.oid::regclass || ' ' || c.relacl::text
                          FROM pg_class c
                         WHERE c.relnamespace IN ('events'::regnamespace, 'audit'::regnamespace)
                           AND c.relacl IS NOT NULL
                         ORDER BY 1
                        """).query(String.class).list();
    }

    private TestOutbox as(String role) {
        return outbox.another(role)
                .handler("mail", "OrderPlaced", (event) -> {})
                .withoutPolling();
    }

    private record Call(Object target, Method method, Object... arguments) {

        void run() throws Throwable {
            try {
                method.invoke(target, arguments);
            } catch (InvocationTargetException ex) {
                throw ex.getTargetException();
            }
        }
    }

    /** Every operation, so that a new one is tested too; the commands come last. */
    private List<Call> calls(TestOutbox role) {
        return Stream.of(
                        new Object[] {OutboxInspector.class, Operator.of(role).inspector()},
                        new Object[] {OutboxOperations.class, Operator.of(role).operations()},
                        new Object[] {Replays.class, Operator.of(role).replays()},
                        new Object[] {ScheduledEvents.class, Operator.of(role).scheduled()})
                .flatMap((api) -> Arrays.stream(((Class<?>) api[0]).getMethods())
                        .map((method) -> new Call(
                                api[1],
                                method,
                                Arrays.stream(method.getParameters())
                                        .map(this::argument)
                                        .toArray())))
                // Others need the handler that expireHandler ends.
                .sorted(Comparator.comparing(
                                (Call call) -> !READS.contains(call.method().getName()))
                        .thenComparing((call) -> call.method().getName().startsWith("expire")))
                .toList();
    }

    private Object argument(Parameter parameter) {
        Class<?> type = parameter.getType();
        if (type == String.class) {
            return switch (parameter.getName()) {
                case "handlerId" -> "mail";
                case "stream" -> "default";
                case "aggregateType" -> "order";
                case "inbox" -> "orders";
                default -> "1";
            };
        }
        return switch (type.getSimpleName()) {
            case "Duration" -> Duration.ofHours(1);
            case "UUID" -> event.eventId();
            case "DeliverySelection" -> DeliverySelection.all().ofHandler("mail");
            case "EventSelection" -> EventSelection.all();
            case "Erasure" -> Erasure.ofAggregate("order", "1").withoutDelivery();
            case "OperationSelection" -> OperationSelection.all();
            case "ReplayRequest" -> ReplayRequest.of("mail");
            case "InboxStart" -> OutboxOperations.InboxStart.EARLIEST;
            case "long" -> replay;
            case "int" -> 1;
            default -> throw new IllegalArgumentException("no argument of " + type);
        };
    }
}
