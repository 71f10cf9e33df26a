package dev.outbox.benchmarks.dbscheduler;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Service that uses db-scheduler as an outbox: it schedules one task per event in the domain transaction,
 * due now. Tasks run in no order.
 */
public final class DbScheduler extends Contestant {

    private final Scheduler scheduler;

    /** Starts the service. */
    public DbScheduler(Setup setup) {
        super(setup, Service.class, properties(setup));
        this.scheduler = bean(Scheduler.class);
        new JdbcTemplate(bean(DataSource.class)).execute(Schema.of(setup));
    }

    /** Returns the settings of the first row of the benchmark in db-scheduler's documentation. */
    private static Map<String, String> properties(Setup setup) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (setup.tuned()) {
            properties.put("db-scheduler.polling-strategy", "lock-and-fetch");
            properties.put("db-scheduler.threads", "20");
            properties.put("db-scheduler.polling-strategy-lower-limit-fraction-of-threads", "4.0");
            properties.put("db-scheduler.polling-strategy-upper-limit-fraction-of-threads", "20.0");
            properties.put("db-scheduler.polling-interval", "10ms");
        }
        properties.put(
                "db-scheduler.scheduler-name",
                "process-" + ProcessHandle.current().pid());
        return properties;
    }

    @Override
    public void publish(AccountChanged event) {
        if (setup.tuned()) {
            scheduler.scheduleBatch(List.of(instance(event)), Instant.now());
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    scheduler.triggerCheckForDueExecutions();
                }
            });
        } else {
            scheduler.scheduleIfNotExists(SchedulableInstance.of(instance(event), Instant.now()));
        }
    }

    @Override
    public void publishAll(List<AccountChanged> events) {
        scheduler.scheduleBatch(events.stream().map(DbScheduler::instance).toList(), Instant.now());
    }

    private static TaskInstance<?> instance(AccountChanged event) {
        return new TaskInstance<>(Service.TASK, Integer.toString(event.number()), event);
    }

    @Override
    public void start() {
        if (setup.role().delivers()) {
            scheduler.start();
        }
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM scheduled_tasks";
    }
}
