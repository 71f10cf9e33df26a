package dev.outbox.spring.autoconfigure.events.jdbc;

import static dev.outbox.spring.autoconfigure.Applications.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.domain.AbstractAggregateRoot;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Domain events of Spring Data JDBC. */
class JdbcSpringEventsTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @BeforeEach
    void createTable() {
        JdbcClient.create(database.dataSource())
                .sql("CREATE TABLE parcel (id text PRIMARY KEY, version bigint NOT NULL, address text NOT NULL)")
                .update();
    }

    @Test
    void domainEventCommitsWithItsAggregateAndHasItsVersion() {
        application().withBean(Carrier.class).run((context) -> {
            Parcels parcels = context.getBean(Parcels.class);
            parcels.save(new Parcel("1", null, "Bonn").readdress("Kiel"));
            parcels.save(parcels.findById("1").orElseThrow().readdress("Jena"));

            assertThat(stored(context)).containsExactly("ParcelReaddressed 1 0", "ParcelReaddressed 1 1");
            await().untilAsserted(() ->
                    assertThat(context.getBean(Carrier.class).addresses).containsExactly("Kiel", "Jena"));
        });
    }

    @Test
    void staleAggregateStoresNoEvent() {
        application().run((context) -> {
            Parcels parcels = context.getBean(Parcels.class);
            parcels.save(new Parcel("1", null, "Bonn").readdress("Kiel"));
            Parcel stale = parcels.findById("1").orElseThrow();
            parcels.save(parcels.findById("1").orElseThrow().readdress("Jena"));

            assertThatThrownBy(() -> parcels.save(stale.readdress("Ulm")))
                    .isInstanceOf(OptimisticLockingFailureException.class);
            assertThat(stored(context)).hasSize(2);
        });
    }

    private ApplicationContextRunner application() {
        return Applications.on(database)
                .withConfiguration(AutoConfigurations.of(DataJdbcRepositoriesAutoConfiguration.class))
                .withUserConfiguration(Repositories.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableJdbcRepositories(considerNestedRepositories = true)
    static class Repositories {}

    interface Parcels extends CrudRepository<Parcel, String> {}

    @Table("parcel")
    static class Parcel extends AbstractAggregateRoot<Parcel> {

        @Id
        private final String id;

        @Version
        private @Nullable Long version;

        private String address;

        Parcel(String id, @Nullable Long version, String address) {
            this.id = id;
            this.version = version;
            this.address = address;
        }

        Parcel readdress(String address) {
            this.address = address;
            registerEvent(new ParcelReaddressed(id, address, this));
            return this;
        }

        @Nullable
        Long version() {
            return version;
        }
    }

    @Outboxed(aggregateType = "parcel", aggregateId = "parcelId", sequence = "parcel.version")
    record ParcelReaddressed(
            String parcelId,
            String address,
            @JsonIgnore @Nullable Parcel parcel) {}

    static class Carrier {

        final List<String> addresses = new CopyOnWriteArrayList<>();

        @OutboxHandler(id = "carrier")
        void readdress(ParcelReaddressed event) {
            addresses.add(event.address());
        }
    }
}
