package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.spring.autoconfigure.OutboxProperties;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/** The settings that the event flow asks for, as this application has them. */
@SampleTest
class SettingsTest {

    @Autowired
    private OutboxProperties outbox;

    @Autowired
    private Environment environment;

    @Autowired
    private ThreadPoolTaskScheduler scheduler;

    @Autowired
    private ScheduledTaskHolder tasks;

    @Test
    void pollerAsksEveryTwoSecondsForFiftyEvents() {
        assertThat(outbox.poller().interval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(outbox.poller().batchSize()).isEqualTo(50);
        assertThat(outbox.poller().concurrency()).isOne();
    }

    @Test
    void failuresBackOffAndDieAfterTenAttempts() {
        assertThat(outbox.retry().delays())
                .containsExactly(
                        Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofMinutes(15), Duration.ofHours(1));
        assertThat(outbox.retry().maxAttempts()).isEqualTo(10);
    }

    @Test
    void archivesPublishedEventsNightlyAfterThirtyDays() {
        assertThat(outbox.retention().published()).isEqualTo(Duration.ofDays(30));
        assertThat(outbox.retention().archive()).isTrue();
        assertThat(outbox.retention().cron()).isEqualTo("0 30 3 * * *");
    }

    @Test
    void paymentsAreRetriedDailyUntilFourthFailure() {
        assertThat(environment.getProperty("sample.billing.retry-after", Duration.class))
                .isEqualTo(Duration.ofDays(1));
        assertThat(environment.getProperty("sample.billing.final-failure", Integer.class))
                .isEqualTo(4);
    }

    @Test
    void everyScheduledJobHasAThread() {
        assertThat(scheduler.getScheduledThreadPoolExecutor().getCorePoolSize())
                .isGreaterThanOrEqualTo(tasks.getScheduledTasks().size());
    }

    @Test
    void ordersAreClaimedInHundredsForTwoMinutes() {
        OutboxProperties.Stream orders = outbox.streams().get("orders");

        assertThat(orders.batchSize()).isEqualTo(100);
        assertThat(orders.lease()).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void attacksWaitBehindNothingElse() {
        assertThat(outbox.streams().get("incidents").aggregateTypes()).containsExactly("incident", "deletion");
    }

    @Test
    void pollsPushesEverySecondAndTriesFourTimes() {
        OutboxProperties.Retry retry = outbox.handlers().get("push.send").retry();

        assertThat(outbox.streams().get("push").interval()).isEqualTo(Duration.ofSeconds(1));
        assertThat(retry.delays()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4));
        assertThat(retry.maxAttempts()).isEqualTo(4);
    }

    /** Tests turn it on. */
    @Test
    void demoIsOffByDefault() throws IOException {
        assertThat(new YamlPropertySourceLoader()
                        .load("application.yaml", new ClassPathResource("application.yaml"))
                        .get(0)
                        .getProperty("demo.enabled"))
                .isEqualTo(false);
    }
}
