package dev.outbox.spring.autoconfigure.events.jpa;

import org.springframework.data.jpa.repository.JpaRepository;

interface Orders extends JpaRepository<Order, String> {}
