package dev.outbox.sample.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.IdentityEvent.UserRegistered;
import dev.outbox.sample.events.NoticeEvent.NoticePublished;
import dev.outbox.sample.events.PushEvent.NoticeBatchRequested;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import dev.outbox.test.autoconfigure.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** Who receives a notice, in whatever order and how often the events come. */
@SampleTest
@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)
@TestPropertySource(properties = "push.notice-batch=3")
class NoticeDeliveryTest {

    /** Every test has a time of its own, because a registration also delivers the later notices of other tests. */
    private final Instant published = Instant.parse("2020-01-01T00:00:00Z").plus(Duration.ofDays(++tests));

    private static int tests;

    private final String user = "user-" + UUID.randomUUID();
    private final UUID notice = UUID.randomUUID();

    @Autowired
    private NoticeDelivery delivery;

    @Autowired
    private Inbox inbox;

    @Autowired
    private OutboxTester outbox;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void registrationHandledAfterTheNoticeDeliversIt() {
        publish();
        deliverBatches();

        register(user, published.minusSeconds(1));
        register(user, published.minusSeconds(1));

        assertThat(titles(user)).containsOnlyOnce(notice.toString());
    }

    @Test
    void userWhoRegistersLaterDoesNotReceiveTheNotice() {
        String later = "user-" + UUID.randomUUID();
        register(user, published);
        register(later, published.plusSeconds(1));

        publish();
        deliverBatches();

        assertThat(titles(user)).contains(notice.toString());
        assertThat(titles(later)).doesNotContain(notice.toString());
    }

    @Test
    void repeatedNoticeIsDeliveredOnce() {
        List<String> users =
                Stream.generate(() -> "user-" + UUID.randomUUID()).limit(7).toList();
        users.forEach((each) -> register(each, published));
        publish();
        deliverBatches();

        publish();
        deliverBatches();

        assertThat(users).allSatisfy((each) -> assertThat(titles(each)).containsOnlyOnce(notice.toString()));
    }

    @Test
    void interruptedBatchLeavesNothingAndIsRepeatedWhole() {
        Stream.generate(() -> "user-" + UUID.randomUUID()).limit(4).forEach((each) -> register(each, published));
        transaction.executeWithoutResult((status) -> {
            publish();
            delivery.deliverBatch(new NoticeBatchRequested(notice, ""));
            assertThat(messages()).isEqualTo(3);
            status.setRollbackOnly();
        });
        assertThat(messages()).isZero();
        assertThat(batches()).isZero();

        publish();
        deliverBatches();

        assertThat(messages()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void registrationWaitsForTheNoticeThatIsBeingStored() {
        CompletableFuture<Void> registration = transaction.execute((status) -> {
            publish();
            CompletableFuture<Void> concurrent = CompletableFuture.runAsync(() -> register(user, published));
            awaitLockWaiter();
            return concurrent;
        });
        registration.orTimeout(Api.DEADLINE.toSeconds(), TimeUnit.SECONDS).join();

        assertThat(titles(user)).contains(notice.toString());
    }

    @Test
    void noticeWaitsForTheRegistrationThatIsBeingStored() {
        CompletableFuture<Void> notices = transaction.execute((status) -> {
            register(user, published);
            CompletableFuture<Void> concurrent = CompletableFuture.runAsync(this::publish);
            awaitLockWaiter();
            return concurrent;
        });
        notices.orTimeout(Api.DEADLINE.toSeconds(), TimeUnit.SECONDS).join();
        deliverBatches();

        assertThat(titles(user)).containsOnlyOnce(notice.toString());
    }

    private void register(String name, Instant at) {
        delivery.userRegistered(new UserRegistered(UUID.randomUUID(), name), envelope(at));
    }

    private void publish() {
        transaction.executeWithoutResult((status) ->
                delivery.noticePublished(new NoticePublished(notice, notice.toString(), "body"), envelope(published)));
    }

    private void deliverBatches() {
        assertThat(outbox.drain().handled()).isPositive();
        assertThat(outbox).isDrained();
    }

    private long batches() {
        return jdbc.sql("SELECT count(*) FROM events.outbox WHERE aggregate_id = :id")
                .param("id", notice.toString())
                .query(Long.class)
                .single();
    }

    private long messages() {
        return jdbc.sql("SELECT count(*) FROM push.inbox WHERE notice_id = :id")
                .param("id", notice)
                .query(Long.class)
                .single();
    }

    private void awaitLockWaiter() {
        await().atMost(Api.DEADLINE)
                .until(() -> jdbc.sql("""
                                SELECT EXISTS (SELECT FROM pg_locks
                                                WHERE relation = 'push.notices'::regclass AND NOT granted)
                                """).query(Boolean.class).single());
    }

    private List<String> titles(String name) {
        return inbox.of(name).stream().map(InboxMessage::title).toList();
    }

    private static EventEnvelope envelope(Instant at) {
        String id = UUID.randomUUID().toString();
        return new EventEnvelope(1, UUID.randomUUID(), "default", "any", id, 1, "Any", 1, "{}", Map.of(), at, false);
    }
}
