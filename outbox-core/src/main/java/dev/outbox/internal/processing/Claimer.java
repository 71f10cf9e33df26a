package dev.outbox.internal.processing;

import dev.outbox.internal.background.BackgroundCall;
import dev.outbox.internal.background.Lease;
import dev.outbox.internal.background.LeaseRenewer;
import dev.outbox.internal.background.Moment;
import dev.outbox.internal.delivery.Claim;
import dev.outbox.internal.delivery.ClaimRound;
import dev.outbox.internal.delivery.RegistryVersion;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.Subscriptions;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.ClaimStore;
import dev.outbox.internal.store.ScanDepth;
import dev.outbox.internal.store.ScanReach;
import dev.outbox.listener.OutboxListener;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims batches of a stream, and keeps what one claim has to know of those before it. Used by one thread, except that a statement
 * may run on another one meanwhile.
 */
final class Claimer {

    private static final Logger log = LoggerFactory.getLogger(Claimer.class);

    /** Others could have what is claimed ahead: it must not wait for long until the handlers are through with what comes before it. */
    private static final Duration LONGEST_AHEAD = Duration.ofMillis(50);

    private static final Duration LONGEST_WAIT_AT_THE_END = Duration.ofSeconds(1);

    private final PolledStream stream;
    private final ClaimStore claims;
    private final Subscriptions subscriptions;
    private final Dispatcher dispatcher;
    private final LeaseRenewer leases;
    private final OutboxListener listener;
    private final boolean concurrent;

    /** Aggregates of which somebody else holds a row locked: left out until a claim finds nothing else. */
    private final Set<Long> heldAggregates = new HashSet<>();

    private final ScanDepth depth;
    private final WindowSchedule window = new WindowSchedule(System::nanoTime);
    private long highest;
    private final BackgroundCall<Answer> ahead;
    private @Nullable Question askedAhead;
    private @Nullable Long fullSince;
    private boolean quick;

    /** A claim to be made. */
    private record Question(ClaimStore.Request request, boolean leftOut, Predicate<RegistryVersion> outdated) {}

    /** What the database answered to a claim. */
    private record Answer(
            Optional<ClaimRound> round, @Nullable Batch batch, Duration took) {}

    /** What a claim found. */
    record Found(@Nullable Batch batch, ClaimRound round, boolean again, Predicate<RegistryVersion> outdated) {}

    /** Begins with the whole queue. */
    Claimer(PolledStream stream, PollerResources resources, boolean concurrent) {
        this.stream = stream;
        this.claims = resources.claims();
        this.subscriptions = resources.subscriptions();
        this.dispatcher = resources.dispatcher();
        this.leases = resources.leases();
        this.listener = resources.listener();
        this.concurrent = concurrent;
        this.depth = new ScanDepth(stream.settings().batchSize());
        this.ahead = new BackgroundCall<>("outbox-claimer-" + stream.name());
    }

    /** Claims what comes next, or returns what was claimed ahead. */
    Optional<Found> next(boolean leavesOut) throws SQLException {
        Long since = fullSince;
        quick = since == null ? quick : System.nanoTime() - since <= LONGEST_AHEAD.toNanos();
        Question asked = askedAhead;
        askedAhead = null;
        Question question = asked != null ? asked : question(leavesOut);
        Answer answer = asked != null ? ahead.result() : ask(question);
        return answer.round().map((round) -> learn(question, answer, round));
    }

    /** Claims what comes next while the caller works on the full batch that was claimed last, unless the one before took long. */
    void beginAhead() {
        if (quick) {
            Question question = question(true);
            askedAhead = ahead.begin(() -> ask(question)) ? question : null;
        }
    }

    /** Returns what was claimed ahead, if anything, which is not going to be worked on. Does not wait for whoever keeps the claim from ending. */
    Optional<Batch> finish() throws SQLException {
        if (askedAhead == null) {
            return Optional.empty();
        }
        if (!ahead.endsWithin(LONGEST_WAIT_AT_THE_END)) {
            log.warn(
                    "a claim of stream {} did not end in time; what it claims is free when its lease expires",
                    stream.name());
            return Optional.empty();
        }
        return next(true).map(Found::batch);
    }

    /** The time until others may have set free what was left lying; empty if nothing was. */
    Optional<Duration> lookAgainIn() {
        return depth.lookAgainIn();
    }

    private Question question(boolean leavesOut) {
        Predicate<RegistryVersion> outdated = subscriptions.outdated();
        ScanReach reach = leavesOut ? depth.near(highest) : depth.next(highest);
        ClaimStore.Request request = new ClaimStore.Request(
                stream.name(),
                stream.worker(),
                stream.settings().batchSize(),
                stream.settings().lease(),
                heldAggregates,
                dispatcher.activeHandlers(),
                reach,
                window.next());
        return new Question(request, leavesOut, outdated);
    }

    private Answer ask(Question question) throws SQLException {
        Moment begun = leases.now();
        FaultPoint.BEFORE_CLAIM.reached();
        Optional<ClaimRound> round = claims.claim(question.request());
        Duration took = Duration.ofNanos(leases.now().nanos() - begun.nanos());
        return new Answer(round, round.map((found) -> batch(found, begun)).orElse(null), took);
    }

    private @Nullable Batch batch(ClaimRound round, Moment begun) {
        Claim claim = round.claim();
        if (claim == null) {
            return null;
        }
        FaultPoint.AFTER_CLAIM.reached();
        Duration life = stream.settings().lease();
        Lease lease = leases.keep(new LeasedClaim(claims, claim.key(), life), life, begun);
        return concurrent
                ? Batch.byAggregate(claim, round.registry(), lease)
                : Batch.inOrder(claim, round.registry(), lease);
    }

    private Found learn(Question question, Answer answer, ClaimRound round) {
        round.expired()
                .forEach((expired) -> log.warn(
                        "the lease of {} on {} events of stream {} expired; they are free again",
                        expired.worker(),
                        expired.events(),
                        stream.name()));
        Claim claim = round.claim();
        int events = claim == null ? 0 : claim.events().size();
        if (claim != null) {
            highest =
                    Math.max(highest, claim.events().get(events - 1).envelope().id());
        }
        window.claimed(question.request().window(), events, answer.took());
        listener.claimed(stream.name(), answer.took(), events);
        boolean again =
                question.leftOut() || depth.learn(question.request().reach(), events, round.isLong(), answer.took());
        boolean foundHeld = heldAggregates.addAll(round.heldAggregates());
        if (events == 0 && !foundHeld && !again) {
            heldAggregates.clear();
        }
        boolean full = events == stream.settings().batchSize() || round.isCut();
        fullSince = full ? System.nanoTime() : null;
        return new Found(answer.batch(), round, full || again || foundHeld, question.outdated());
    }
}
