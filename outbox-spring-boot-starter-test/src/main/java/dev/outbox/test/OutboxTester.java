package dev.outbox.test;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.internal.runtime.OnDemandDelivery;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.listener.OutboxListener.Result;
import dev.outbox.test.StoredEvent.Status;
import dev.outbox.test.StoredEvent.UnfinishedDelivery;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * Drives the outbox of a test. The background pollers are off: {@link #drain()} delivers on the thread of the test, so that a test neither
 * sleeps nor waits. A bean of every test with {@link dev.outbox.test.autoconfigure.OutboxTest @OutboxTest} or
 * {@link dev.outbox.test.autoconfigure.AutoConfigureOutbox @AutoConfigureOutbox}.
 *
 * <p>AssertJ's {@code assertThat(outbox)} returns an {@link OutboxAssert}. After every test method, the tables of the outbox are emptied; the
 * tables of the application are not touched. For use by one thread at a time.
 */
public final class OutboxTester implements AssertProvider<OutboxAssert> {

    private static final int MOST_ATTEMPTS = 10_000;

    private final OutboxRuntime runtime;
    private final JsonMapper mapper;
    private final Schemas schemas;
    private final JdbcClient jdbc;
    private final OutboxTables tables;
    private final HandlerRecorder recorder;
    private final Supplier<List<RecordedMessages>> recorded;
    private final Map<String, Long> sequences = new HashMap<>();
    private @Nullable OnDemandDelivery delivery;
    private Duration advanced = Duration.ZERO;
    private boolean draining;

    OutboxTester(
            OutboxRuntime runtime,
            DataSource dataSource,
            JsonMapper mapper,
            Schemas schemas,
            List<String> moduleTables,
            HandlerRecorder recorder,
            Supplier<List<RecordedMessages>> recorded) {
        this.recorded = recorded;
        this.runtime = runtime;
        this.mapper = mapper;
        this.schemas = schemas;
        this.jdbc = JdbcClient.create(dataSource);
        this.tables = new OutboxTables(dataSource, schemas, moduleTables);
        this.recorder = recorder;
    }

    /**
     * Delivers everything that is due, on the calling thread and until nothing is due any more: committed events of every stream, retries
     * whose time has come, replays at any rate, and dead letters of handlers with a dead-letter method. Follow-up events are included.
     * A delivery that backs off is not due; see {@link #advance}.
     *
     * @return what was done
     * @throws IllegalStateException if a transaction is active on the calling thread, since its events are not committed; if a handler calls
     *     this method; after 10,000 attempts; if a broker acknowledges nothing for 5 s; or if PostgreSQL fails
     */
    public DrainResult drain() {
        requireNoTransaction("drain() delivers committed events only");
        if (draining) {
            throw new IllegalStateException("drain() is running; a handler must not call it");
        }
        int first = recorder.attemptCount();
        List<FailedDelivery> earlier = failures();
        draining = true;
        try {
            long before;
            boolean more;
            do {
                before = recorder.activity();
                int attempts = recorder.attemptCount();
                tables.liftReplayRates();
                more = delivery().runOnce();
                requireEnd(recorder.attemptsFrom(first));
                if (delivery().isAwaiting() && recorder.attemptCount() == attempts) {
                    throw withoutOutcomes();
                }
            } while (more || recorder.activity() != before);
            List<FailedDelivery> failures = new ArrayList<>(failures());
            failures.removeAll(earlier);
            return new DrainResult(recorder.attemptsFrom(first), (result) -> see(failures, result));
        } catch (SQLException ex) {
            throw new IllegalStateException("the outbox could not deliver, because PostgreSQL failed", ex);
        } finally {
            draining = false;
        }
    }

    private void see(List<FailedDelivery> failures, Result result) {
        failures.stream()
                .filter((failure) -> failure.delivery().dead() == (result == Result.DEAD))
                .forEach((failure) -> recorder.see(failure.eventId(), failure.delivery()));
    }

    /** Records that the test has seen the deliveries of events that meet a condition: it expects their failures. */
    void see(List<StoredEvent> events, Predicate<UnfinishedDelivery> condition) {
        events.forEach((event) -> event.deliveries().stream()
                .filter(condition)
                .forEach((delivery) -> recorder.see(event.envelope().eventId(), delivery)));
    }

    private List<FailedDelivery> failures() {
        return recorder.mayHaveUnexpectedFailures() ? stored().failures() : List.of();
    }

    private IllegalStateException withoutOutcomes() {
        List<String> awaited = new ArrayList<>();
        for (StoredEvent event : unseenEvents()) {
            Set<String> handlers = recorder.handlersOf(event.envelope().eventId());
            if (!handlers.isEmpty() && (event.status() == Status.PENDING || event.status() == Status.RETRYING)) {
                awaited.add(event.envelope() + ", which went to " + String.join(", ", handlers));
            }
        }
        return withoutOutcomes("drain()", awaited);
    }

    private static IllegalStateException withoutOutcomes(String call, List<String> awaited) {
        return new IllegalStateException(call + " gave up, because in " + OnDemandDelivery.LONGEST_WAIT.toSeconds()
                + " s no acknowledgement has come for:" + lines(awaited)
                + "\nCall it again when the broker, or what the test has in its place, has acknowledged.");
    }

    private static void requireEnd(List<DrainResult.Attempt> attempts) {
        if (attempts.size() > MOST_ATTEMPTS) {
            throw new IllegalStateException("drain() gave up after " + attempts.size()
                    + " attempts: the handlers publish without an end, or retry without a delay; the last attempt was "
                    + attempts.get(attempts.size() - 1));
        }
    }

    /**
     * Lets time pass for the outbox: moves the due times in its tables into the past, because the clock of the database decides what is due.
     * Retries, scheduled events, leases, dead-letter methods and the probes of open circuits come due earlier. Nothing is delivered before the next
     * {@link #drain()}. The {@code Clock} of the application, the times of events, retention and the registrations of handlers stay
     * as they are.
     *
     * @param duration how much time passes, in whole milliseconds
     * @return this tester
     * @throws IllegalArgumentException if the duration is negative
     * @throws IllegalStateException if a transaction is active on the calling thread, since it would undo the change
     */
    public OutboxTester advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("time only passes forwards: " + duration);
        }
        requireNoTransaction("advance() changes the due times in the tables");
        tables.advance(duration);
        advanced = advanced.plus(duration);
        return this;
    }

    /**
     * Lets time pass until the next scheduled event is due, like {@link #advance}. The next {@link #drain()} delivers it. Call both again
     * for the scheduled event after it.
     *
     * @return this tester
     * @throws IllegalStateException if no event is scheduled, or a transaction is active on the calling thread
     */
    public OutboxTester advanceToScheduled() {
        requireNoTransaction("advanceToScheduled() changes the due times in the tables");
        List<ScheduledEvent> scheduled = scheduled();
        if (scheduled.isEmpty()) {
            throw new IllegalStateException(
                    "no event is scheduled; events of a transaction that rolled back are not stored");
        }
        Duration next = scheduled.get(0).dueIn();
        return next.isNegative() ? this : advance(next.plusMillis(1));
    }

    /**
     * Makes the next attempt of a handler fail: the exception is thrown in place of the handler. Several calls fail as many attempts. An
     * attempt that a batch handler makes with several events fails for all of them. A test fails at its end if no attempt has used the
     * exception.
     *
     * @param handlerId the id of the handler
     * @param exception what the attempt throws
     * @return this tester
     * @throws IllegalArgumentException if this context has no such handler
     */
    public OutboxTester failNext(String handlerId, Exception exception) {
        requireHandler(handlerId);
        recorder.failNext(handlerId, exception);
        return this;
    }

    /**
     * Lets handlers fail in this test. Otherwise, a test fails at its end if a handler has failed and the failure is still open: no later
     * attempt succeeded, no dead-letter method has taken it, {@link #failNext} did not cause it, and the test has not asserted it, with
     * {@link PublishedEventsAssert#isRetrying isRetrying}, {@link PublishedEventsAssert#isDead isDead} or
     * {@link PublishedEventsAssert#withError withError}, for example, or read it from a {@link DrainResult} or {@link #events()}. A test
     * also fails if a dead-letter method has failed and was not called again with success; only this method excuses that.
     *
     * @return this tester
     */
    public OutboxTester expectFailures() {
        recorder.expectFailures();
        return this;
    }

    /**
     * Delivers the events that a handler has handled in this test once more, as happens when a process crashes before it has stored the
     * outcome, and verifies that nothing changes. The handler must return without an exception; no row of the application's tables in the
     * outbox's database may be added, changed or removed; and no event may be published.
     *
     * <p>Effects elsewhere are not seen, such as mails, HTTP calls or another database: assert those of your fake after this call. Values of
     * sequences may change.
     *
     * @param handlerId the id of the handler
     * @return this tester
     * @throws AssertionError if the second delivery fails or changes the database; the message lists the rows
     * @throws IllegalArgumentException if this context has no such handler
     * @throws IllegalStateException if the handler has handled no event in this test; if a broker does not acknowledge one for 5 s; or if
     *     a transaction is active on the calling thread
     */
    public OutboxTester verifyIdempotent(String handlerId) {
        requireHandler(handlerId);
        requireNoTransaction("verifyIdempotent() delivers committed events only");
        List<StoredEvent> again = unseenEvents().stream()
                .filter((event) -> event.handledBy().contains(handlerId))
                .toList();
        if (again.isEmpty()) {
            throw new IllegalStateException("handler '" + handlerId
                    + "' has handled no event in this test; publish one and call drain() before verifyIdempotent()");
        }
        DatabaseSnapshot before = DatabaseSnapshot.take(jdbc, schemas);
        List<String> problems = new ArrayList<>();
        for (StoredEvent event : again) {
            DeliveryOutcome outcome = delivery().redeliver(event.envelope(), handlerId);
            if (outcome.isLater()) {
                throw withoutOutcomes("verifyIdempotent()", List.of(event.envelope() + ", which went to " + handlerId));
            }
            if (!outcome.succeeded()) {
                problems.add(event.envelope() + " failed with " + outcome.code() + ": " + outcome.message());
            }
        }
        problems.addAll(before.differences(DatabaseSnapshot.take(jdbc, schemas)));
        if (!problems.isEmpty()) {
            throw new AssertionError("handler '" + handlerId + "' is not idempotent; delivering " + again.size()
                    + (again.size() == 1 ? " event" : " events") + " once more led to:" + lines(problems));
        }
        return this;
    }

    /**
     * Reads all events in the tables of the outbox, those of the active transaction included. An event that is scheduled for later is not
     * among them: assert it with {@link OutboxAssert#scheduled(Class)}. A test that reads failures here {@linkplain #expectFailures expects}
     * them.
     *
     * @return the events, in the order in which they were published
     */
    public List<StoredEvent> events() {
        List<StoredEvent> events = unseenEvents();
        see(events, (delivery) -> true);
        return events;
    }

    /** Reads all events, without their failures being seen. */
    List<StoredEvent> unseenEvents() {
        return stored().all(recorder::handlersOf);
    }

    /** Reads the scheduled events, those of the active transaction included, the next one due first. */
    List<ScheduledEvent> scheduled() {
        return stored().scheduled();
    }

    private StoredEvents stored() {
        return new StoredEvents(jdbc, schemas.outbox().quoted(), mapper);
    }

    /**
     * Reads the messages that the routes of {@code outbox-kafka} and {@code outbox-messaging} have sent to a destination in this test. A
     * test with a broker sends them there instead: an embedded Kafka, or a service connection.
     *
     * @param destination the topic of Kafka, the exchange of RabbitMQ, or the name of the {@code MessageChannel}
     * @return the messages, in the order in which they were sent
     * @throws IllegalStateException if the application has no module with routes, or the test has a broker
     */
    public List<ForwardedRecord> forwarded(String destination) {
        List<RecordedMessages> all = recorded.get();
        if (all.isEmpty()) {
            throw new IllegalStateException("this test has a broker, or no module with routes on its class path");
        }
        return all.stream()
                .flatMap((messages) -> messages.forwarded(destination).stream())
                .toList();
    }

    /**
     * Hands an event of another service to the inboxes of a topic, as the CloudEvent that its route sends, and commits it. The next
     * {@link #drain()} delivers it. What the event leaves out is chosen: its id, its time, the origin {@code /test}, and the next
     * sequence of its aggregate, from 1.
     *
     * @param topic the topic
     * @param event the event, whose payload is the JSON text or an object that is written as JSON
     * @return this tester
     * @throws IllegalArgumentException if no inbox receives the topic, or the event has no type
     * @throws IllegalStateException if the application has no {@code outbox-kafka}, the test has a broker, or a transaction is active on
     *     the calling thread
     */
    public OutboxTester receive(String topic, OutboxEvent event) {
        DeclaredType type = DeclaredType.of(event.payload().getClass());
        if (event.eventType() == null && event.payload().getClass().getName().startsWith("java.")) {
            throw new IllegalArgumentException("set the type of the received event with withEventType(...)");
        }
        String json = event.payload() instanceof String text ? text : mapper.writeValueAsString(event.payload());
        long sequence = sequences.merge(event.aggregateType() + "/" + event.aggregateId(), 1L, Long::sum);
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.put("ce_specversion", "1.0");
        headers.put("ce_id", String.valueOf(event.eventId() == null ? UUID.randomUUID() : event.eventId()));
        headers.put("ce_source", event.origin() == null ? "/test" : event.origin());
        headers.put("ce_type", event.eventType() == null ? type.name() : event.eventType());
        headers.put("ce_subject", event.aggregateId());
        headers.put("ce_aggregatetype", event.aggregateType());
        headers.put("ce_sequence", String.valueOf(event.sequence() == null ? sequence : event.sequence()));
        Integer version = event.schemaVersion();
        headers.put("ce_schemaversion", String.valueOf(version == null ? type.version() : version));
        if (event.occurredAt() != null) {
            headers.put("ce_time", event.occurredAt().toString());
        }
        return receive(new ForwardedRecord(topic, event.aggregateId(), json, headers));
    }

    /**
     * Hands a record to the inboxes of its topic, for example one without CloudEvents, and commits it.
     *
     * @param record the record
     * @return this tester
     * @throws IllegalArgumentException if no inbox receives the topic
     * @throws IllegalStateException if the application has no {@code outbox-kafka}, the test has a broker, or a transaction is active on
     *     the calling thread
     */
    public OutboxTester receive(ForwardedRecord record) {
        requireNoTransaction("receive() commits what the inbox stores");
        KafkaRecords records = recorded.get().stream()
                .filter(KafkaRecords.class::isInstance)
                .map(KafkaRecords.class::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "this test has a Kafka broker, or no outbox-kafka on its class path"));
        records.receive(record);
        return this;
    }

    /**
     * Empties the tables of the outbox, resumes paused streams and handlers, registers handlers again that the test has expired, and forgets
     * pending failures, open circuits and what was handled. Runs before and after every test method by itself.
     *
     * @throws IllegalStateException if PostgreSQL refuses it
     */
    public void cleanUp() {
        empty();
        try {
            delivery().register();
        } catch (SQLException ex) {
            throw new IllegalStateException("the handlers of the test could not be registered", ex);
        }
    }

    /**
     * Verifies that no handler has failed unexpectedly, and cleans up.
     *
     * @param thrown what the test has thrown: the failure of a handler, which may explain it, is added to it
     */
    void endTest(@Nullable Throwable thrown) {
        try {
            AssertionError problem = problem(thrown == null);
            if (problem != null && thrown != null) {
                thrown.addSuppressed(problem);
            } else if (problem != null) {
                throw problem;
            }
        } finally {
            cleanUp();
        }
    }

    private @Nullable AssertionError problem(boolean passed) {
        List<FailedDelivery> all = failures();
        List<FailedDelivery> failures =
                all.stream().filter(recorder::isUnexpected).toList();
        List<FailedDelivery> ofMethods = all.stream()
                .filter((failure) -> recorder.methodExceptionOf(failure) != null)
                .toList();
        List<String> unused = passed ? recorder.unusedFailures() : List.of();
        StringJoiner message = new StringJoiner("\n");
        if (!failures.isEmpty()) {
            message.add(
                    "A handler failed, and the test did not expect it:" + lines(failures)
                            + "\nIf it is to fail, assert it, for example with isRetrying() or isDead(), or call expectFailures().");
        }
        if (!ofMethods.isEmpty()) {
            message.add("A dead-letter method failed, and the test did not expect it:"
                    + lines(ofMethods.stream()
                            .map((failure) -> failure.event() + ": that of "
                                    + failure.delivery().handlerId() + " failed with "
                                    + recorder.methodExceptionOf(failure))
                            .toList())
                    + "\nIf it is to fail, call expectFailures().");
        }
        if (!unused.isEmpty()) {
            message.add("No attempt of the handler used the exception of failNext():" + lines(unused)
                    + "\nPublish an event that the handler takes and call drain(), or remove failNext().");
        }
        if (message.length() == 0) {
            return null;
        }
        List<Throwable> exceptions = Stream.concat(
                        failures.stream().map(recorder::exceptionOf),
                        ofMethods.stream().map(recorder::methodExceptionOf))
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        AssertionError problem =
                new AssertionError(message.toString(), exceptions.isEmpty() ? null : exceptions.get(0));
        exceptions.stream().skip(1).forEach(problem::addSuppressed);
        return problem;
    }

    void empty() {
        delivery().reset();
        tables.empty();
        recorder.clear();
        sequences.clear();
        recorded.get().forEach(RecordedMessages::clear);
        advanced = Duration.ZERO;
    }

    /** {@return assertions on the outbox, for {@code assertThat(outbox)}} */
    @Override
    public OutboxAssert assertThat() {
        return new OutboxAssert(this);
    }

    <T> T read(EventEnvelope event, Class<T> type) {
        return mapper.readValue(event.payload(), type);
    }

    OnDemandDelivery delivery() {
        OnDemandDelivery current = delivery;
        if (current == null) {
            current = runtime.onDemand(() -> System.nanoTime() + advanced.toNanos(), recorder);
            delivery = current;
        }
        return current;
    }

    void requireHandler(String handlerId) {
        Set<String> known = runtime.eventTypesByHandler().keySet();
        if (!known.contains(handlerId)) {
            throw new IllegalArgumentException("this test has no handler '" + handlerId + "', but "
                    + new TreeSet<>(known) + "; a test slice includes only the components that it names or imports");
        }
    }

    private static void requireNoTransaction(String reason) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    reason + ", and a transaction is active on this thread. If the test method is"
                            + " @Transactional, as in @DataJpaTest and @JdbcTest, its transaction rolls back at the end and its events are"
                            + " never delivered. Either add @Transactional(propagation = Propagation.NOT_SUPPORTED) to the test, or call"
                            + " TestTransaction.flagForCommit() and TestTransaction.end() first");
        }
    }

    static String lines(List<?> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach((line) -> text.append("\n  ").append(line));
        return text.toString();
    }
}
