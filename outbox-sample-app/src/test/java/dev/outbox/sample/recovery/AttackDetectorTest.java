package dev.outbox.sample.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;

/** Deletions in the audit log of a guild, and the attacks that they are. */
@SampleTest
class AttackDetectorTest {

    private static final Instant DISCORD_EPOCH = Instant.parse("2015-01-01T00:00:00Z");
    private static final Instant START = Instant.parse("2030-01-01T12:00:00Z");
    private static final int CHANNEL_DELETE = 12;
    private static final int ROLE_DELETE = 32;
    private static final int MEMBER_BAN_ADD = 22;

    private final String guild = "guild-" + UUID.randomUUID();

    @Autowired
    private Api api;

    private int sequence;

    @BeforeEach
    void connect() {
        api.install(guild);
    }

    @Test
    void fiveDeletionsInTenSecondsAreAnAttack() {
        delete("666", CHANNEL_DELETE, 0);
        delete("667", ROLE_DELETE, 1);
        delete("666", CHANNEL_DELETE, 2);
        delete("666", CHANNEL_DELETE, 3);
        assertThat(api.awaitPublished()).containsOnly("DeletionReported").hasSize(4);

        delete("666", ROLE_DELETE, 10);

        assertThat(api.awaitPublished()).endsWith("DeletionReported", "AntiNukeTriggered", "AntiNukeActioned");
        assertThat(api.messagesTo(guild))
                .containsExactlyInAnyOrder(
                        "URGENT: mass_deletion by 666, 667",
                        "answer to the attack: roles removed from 666, roles removed from 667");
    }

    @Test
    void slowDeletionsAreNoAttack() {
        for (int second = 0; second < 20; second += 3) {
            delete("666", CHANNEL_DELETE, second);
        }

        assertThat(api.awaitPublished()).containsOnly("DeletionReported").hasSize(7);
    }

    @Test
    void deletionBelongsToOneAttack() {
        for (int second = 0; second < 9; second++) {
            delete("666", CHANNEL_DELETE, second);
        }
        assertThat(attacks()).isEqualTo(1);

        delete("666", CHANNEL_DELETE, 9);

        assertThat(attacks()).isEqualTo(2);
    }

    @Test
    void repeatedEventsAndOtherEntriesDoNotCount() {
        for (int second = 0; second < 4; second++) {
            delete("666", CHANNEL_DELETE, second);
        }
        post(sequence, "666", CHANNEL_DELETE, 3);
        post(++sequence, "666", CHANNEL_DELETE, 3);
        delete("666", MEMBER_BAN_ADD, 4);

        assertThat(api.awaitPublished()).containsOnly("DeletionReported").hasSize(5);
    }

    private long attacks() {
        return api.awaitPublished().stream().filter("AntiNukeTriggered"::equals).count();
    }

    private void delete(String user, int action, int second) {
        post(++sequence, user, action, second);
    }

    /** The id contains the time and, to be unique among the tests, a part of the guild's. */
    private void post(int position, String user, int action, int second) {
        long millis = Duration.between(DISCORD_EPOCH, START.plusSeconds(second)).toMillis();
        long id = millis << 22 | guild.hashCode() & 0x3fffff;
        String entry = "\"id\": \"%d\", \"guild_id\": \"%s\", \"user_id\": \"%s\", \"action_type\": %d"
                .formatted(id, guild, user, action);
        String event = "{\"op\": 0, \"s\": %d, \"t\": \"GUILD_AUDIT_LOG_ENTRY_CREATE\", \"d\": {%s}}"
                .formatted(position, entry);
        assertThat(api.post("/discord/events", event).getStatusCode()).isEqualTo(HttpStatus.NO_CONTENT);
    }
}
