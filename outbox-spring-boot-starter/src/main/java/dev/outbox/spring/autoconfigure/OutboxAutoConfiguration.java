package dev.outbox.spring.autoconfigure;

import dev.outbox.EventHeadersContributor;
import dev.outbox.EventUpcaster;
import dev.outbox.HandlerInterceptor;
import dev.outbox.OutboxDataSource;
import dev.outbox.OutboxMapper;
import dev.outbox.OutboxPublisher;
import dev.outbox.PayloadFormat;
import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.publish.TransactionPhase;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxDependencies.Extensions;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.schema.TableModule;
import dev.outbox.listener.OutboxListener;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Configures the outbox of an application with one {@code DataSource}, or one marked {@link OutboxDataSource}. */
@AutoConfiguration(
        after = {
            DataSourceAutoConfiguration.class,
            DataSourceTransactionManagerAutoConfiguration.class,
            TransactionAutoConfiguration.class
        },
        afterName = {
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@Conditional(OutboxAutoConfiguration.OnOutboxDataSource.class)
@EnableConfigurationProperties(OutboxProperties.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class OutboxAutoConfiguration {

    private static final Duration MAX_AGE_OF_GAUGES = Duration.ofSeconds(15);

    @Bean
    RuntimeSettings outboxSettings(OutboxProperties properties, Environment environment) {
        return ConfiguredSettings.of(properties, environment);
    }

    /** Uses the marked DataSource, otherwise the only or primary one. */
    @Bean
    OutboxDatabase outboxDatabase(
            RuntimeSettings settings,
            OutboxProperties properties,
            ObjectProvider<DataSource> dataSource,
            @OutboxDataSource ObjectProvider<DataSource> markedDataSource) {
        return new OutboxDatabase(
                markedDataSource.getIfAvailable(dataSource::getObject), settings.schemas(), properties.directUrl());
    }

    @Bean
    OutboxMigrationInitializer outboxMigrationInitializer(
            OutboxDatabase database,
            OutboxProperties properties,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            ObjectProvider<TableModule> modules) {
        OptionalInt connections = HandlerCapacity.connections(database.dataSource(), pools.orderedStream());
        return new OutboxMigrationInitializer(
                database,
                properties.migrate(),
                connections,
                modules.orderedStream().toList());
    }

    @Bean
    DiscoveredHandlers outboxHandlers(ConfigurableListableBeanFactory beanFactory, RuntimeSettings settings) {
        return new DiscoveredHandlers(
                new HandlerDiscovery(beanFactory),
                settings.dispatch().handlers().keySet());
    }

    /** Spring Boot adds this listener to the transaction managers that it configures. */
    @Bean
    TransactionPhase outboxTransactionPhase() {
        return new TransactionPhase();
    }

    /** Adds the listener to the transaction managers that the application defines. */
    @Bean
    static SmartInitializingSingleton outboxTransactionPhaseRegistration(
            ObjectProvider<ConfigurableTransactionManager> managers, ObjectProvider<TransactionPhase> phases) {
        return () -> {
            TransactionPhase phase = phases.getObject();
            managers.stream(ObjectProvider.UNFILTERED)
                    .filter((manager) ->
                            !manager.getTransactionExecutionListeners().contains(phase))
                    .forEach((manager) -> manager.addListener(phase));
        };
    }

    @Bean
    Extensions outboxExtensions(
            ObjectProvider<OutboxListener> listeners,
            ObjectProvider<EventHeadersContributor> headers,
            ObjectProvider<HandlerInterceptor> interceptors,
            ObjectProvider<EventUpcaster> upcasters) {
        return new Extensions(
                listeners::orderedStream,
                headers::orderedStream,
                interceptors::orderedStream,
                upcasters::orderedStream);
    }

    @Bean
    OutboxDependencies outboxDependencies(
            OutboxDatabase database,
            TransactionPhase phase,
            ObjectProvider<PlatformTransactionManager> managers,
            OutboxProperties properties,
            @OutboxMapper ObjectProvider<JsonMapper> mapper,
            Extensions extensions,
            ObjectProvider<Clock> clocks,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            Environment environment) {
        Clock clock = clocks.getIfUnique(Clock::systemUTC);
        return new OutboxDependencies(
                database.dataSource(),
                database.unpooled(),
                phase,
                new OutboxTransactionManager(managers, database.dataSource()),
                mapper.getIfAvailable(PayloadFormat::mapper),
                extensions,
                clock,
                System::nanoTime,
                new SecureRandom(),
                HandlerCapacity.of(environment, database.dataSource(), pools.orderedStream()),
                RetentionSchedule.of(properties.retention().cron(), ZoneId.systemDefault(), clock),
                environment.getProperty("spring.application.name"));
    }

    @Bean
    @DependsOnDatabaseInitialization
    OutboxRuntime outboxRuntime(
            RuntimeSettings settings, OutboxDependencies dependencies, DiscoveredHandlers handlers) {
        return new OutboxRuntime(settings, dependencies, handlers);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxPublisher outboxPublisher(OutboxRuntime runtime, ObjectProvider<PublisherDecorator> decorators) {
        return decorators
                .orderedStream()
                .reduce(
                        runtime.publisher(),
                        (publisher, decorator) -> decorator.apply(publisher),
                        (one, other) -> other);
    }

    @Bean
    @ConditionalOnMissingBean
    QueueGauges outboxQueueGauges(OutboxDatabase database) {
        return new QueueGauges(database.dataSource(), database.schemas().outbox(), MAX_AGE_OF_GAUGES);
    }

    @Bean
    StartReport outboxStartReport(
            RuntimeSettings settings,
            OutboxDependencies dependencies,
            Environment environment,
            ConfigurableListableBeanFactory beanFactory) {
        return new StartReport(settings, environment, new UnknownProperties(environment, beanFactory), dependencies);
    }

    @Bean
    RegistrationLifecycle outboxRegistrationLifecycle(
            OutboxRuntime runtime, DiscoveredHandlers handlers, StartReport report) {
        return new RegistrationLifecycle(runtime, handlers, report);
    }

    @Bean
    OutboxLifecycle outboxLifecycle(OutboxRuntime runtime) {
        return new OutboxLifecycle(runtime);
    }

    @Bean
    static LazyInitializationExcludeFilter outboxStartsEagerly() {
        return LazyInitializationExcludeFilter.forBeanTypes(RegistrationLifecycle.class, OutboxLifecycle.class);
    }

    /** Matches if exactly one {@code DataSource} qualifies for the outbox. */
    static final class OnOutboxDataSource extends AnyNestedCondition {

        OnOutboxDataSource() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnSingleCandidate(DataSource.class)
        static final class OneDataSource {}

        @ConditionalOnBean(annotation = OutboxDataSource.class)
        static final class MarkedDataSource {}
    }
}
