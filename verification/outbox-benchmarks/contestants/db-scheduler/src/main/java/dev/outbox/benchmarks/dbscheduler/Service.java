package dev.outbox.benchmarks.dbscheduler;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.kagkarlsson.scheduler.boot.config.DbSchedulerCustomizer;
import com.github.kagkarlsson.scheduler.boot.config.DbSchedulerStarter;
import com.github.kagkarlsson.scheduler.serializer.JacksonSerializer;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the service: the task that handles an event. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Service {

    static final String TASK = "handler";

    @Bean
    Task<AccountChanged> task(Setup setup) {
        Tasks.OneTimeTaskBuilder<AccountChanged> task = Tasks.oneTime(TASK, AccountChanged.class);
        if (setup.tuned()) {
            task.onFailure(new FailureHandler.OnFailureRetryLater<>(Duration.ofMillis(Setup.RETRY_AFTER_MILLIS)));
        }
        return task.execute((instance, context) -> setup.handling().handle(instance.getData()));
    }

    /** Keeps the scheduler from starting before the controller starts it. */
    @Bean
    DbSchedulerStarter starter() {
        return () -> {};
    }

    @Bean
    @ConditionalOnExpression("@setup.tuned()")
    DbSchedulerCustomizer customizer() {
        return new DbSchedulerCustomizer() {
            @Override
            public Optional<Serializer> serializer() {
                return Optional.of(new JacksonSerializer(new ObjectMapper()));
            }
        };
    }
}
