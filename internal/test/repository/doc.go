// Package repository tests the repository itself: what packages import, how its files look, and the pages of docs.
package repository
